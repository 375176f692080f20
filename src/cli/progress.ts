// Steps as a person sees them: one finished line a step, and a moving line with rate and time left while it runs.
import { readableBytes, readableSeconds } from "../domain/numbers.ts";
import type { Log, Progress, StepName } from "../ports.ts";
import type { Output } from "./output.ts";

const NAME_WIDTH = 10;

export function stepLog(output: Output, now: () => number): Log {
  let startedAt = now();
  const mark = (ok: boolean): string =>
    output.style(ok ? "good" : "bad", output.plain ? (ok ? "ok" : "failed") : ok ? "✔" : "✗");
  return {
    started: (step) => {
      startedAt = now();
      output.progress(`… ${step}`);
    },
    progress: (step, progress) => output.progress(movingLine(step, progress, (now() - startedAt) / 1000)),
    finished: (step, ok, sentence) =>
      output.talk(
        `${mark(ok)} ${step.padEnd(NAME_WIDTH)} ${sentence}  ${output.style("dim", readableSeconds((now() - startedAt) / 1000))}`,
      ),
    note: (sentence) => output.talk(output.style("dim", sentence)),
  };
}

function movingLine(step: StepName, { doneBytes, totalBytes, records }: Progress, seconds: number): string {
  const rate = seconds > 0 ? doneBytes / seconds : 0;
  const left = rate > 0 ? `, ${readableSeconds((totalBytes - doneBytes) / rate)} left` : "";
  const share = totalBytes > 0 ? Math.floor((100 * doneBytes) / totalBytes) : 0;
  return `… ${step.padEnd(NAME_WIDTH)} ${records} records, ${share} % of ${readableBytes(totalBytes)}, ${readableBytes(rate)}/s${left}`;
}
