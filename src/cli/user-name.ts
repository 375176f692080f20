// Who is at the keyboard, as far as the machine knows; recorded, never trusted.
import { userInfo } from "node:os";

export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}
