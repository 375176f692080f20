// A run id as an argument: a complete UUID, nothing shorter.
import { WapError } from "../domain/errors.ts";
import { parseRunId, type RunId } from "../domain/run.ts";

/** @throws WapError usage */
export function runOfArgument(text: string): RunId {
  const id = parseRunId(text);
  if (id === null)
    throw new WapError(
      "usage",
      `${JSON.stringify(text)} is not a run id: give the complete UUID, as \`wap runs\` prints it`,
    );
  return id;
}
