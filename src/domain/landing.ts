// A delivery that cannot be landed as its contract declares: where it began to be wrong, and what to do.
import { WapError } from "./errors.ts";

/** A place in the delivered text. Lines, records and columns count from 1; the header is no record. */
export interface DeliveryPlace {
  readonly path: string;
  readonly line: number;
  readonly record: number | null;
  /** Name of the column, where it is known. */
  readonly column: string | null;
}

/** Ends a landing as `landing_failed`; the message begins with `path:line`. */
export class LandingFault extends WapError {
  readonly place: DeliveryPlace;

  constructor(place: DeliveryPlace, what: string, next?: string) {
    const record = place.record === null ? "" : `, record ${place.record}`;
    const column = place.column === null ? "" : `, column ${place.column}`;
    super(
      "landing_failed",
      `${place.path}:${place.line}${record}${column}: ${what}`,
      next === undefined ? {} : { next },
    );
    this.name = "LandingFault";
    this.place = place;
  }
}
