// A text file of the repository that an assertion names.
import { MeasureRefusal, type MeasureScope } from "./measure.ts";

/** @throws MeasureRefusal where it cannot be read, or is not UTF-8. */
export async function readText(path: string, { readFile }: MeasureScope): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new MeasureRefusal(`${path} cannot be read as UTF-8 text`, { cause: error });
  }
}
