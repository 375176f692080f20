// Check runs: one a contract and run id, on the head commit, made once and edited afterwards (github R6, R33).
import type { Api } from "./connection.ts";
import type { CheckAnnotation, CheckRun } from "./port.ts";

const ANNOTATIONS_A_REQUEST = 50;

/** Octokit's errors are passed on. GitHub APPENDS annotations at every edit, so only those that are not there yet are sent. */
export async function publishCheck(
  api: Api,
  here: { readonly owner: string; readonly repo: string },
  check: CheckRun,
): Promise<void> {
  const listed = await api.rest.checks.listForRef({
    ...here,
    ref: check.headSha,
    check_name: check.name,
    per_page: 100,
  });
  const before = listed.data.check_runs.find((run) => run.external_id === check.externalId);
  const annotations = check.annotations.map(annotationOf);
  const output = (from: number) => ({
    title: check.title,
    summary: check.summary,
    annotations: annotations.slice(from, from + ANNOTATIONS_A_REQUEST),
  });
  const body = {
    ...here,
    name: check.name,
    external_id: check.externalId,
    status: "completed" as const,
    conclusion: check.conclusion,
  };
  let id = before?.id;
  let from = before === undefined ? 0 : Math.min(before.output.annotations_count, annotations.length);
  do {
    if (id === undefined)
      id = (await api.rest.checks.create({ ...body, head_sha: check.headSha, output: output(from) })).data.id;
    else await api.rest.checks.update({ ...body, check_run_id: id, output: output(from) });
    from += ANNOTATIONS_A_REQUEST;
  } while (from < annotations.length);
}

const annotationOf = ({ path, line, title, message }: CheckAnnotation) => ({
  path,
  start_line: line,
  end_line: line,
  annotation_level: "failure" as const,
  title,
  message,
});
