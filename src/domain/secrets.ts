// Masking of secrets in every form in which they may appear (safety U4).

const MASK = "***";

/** Secrets shorter than this would mask ordinary words; a password this short is the operator's to change. */
const SHORTEST = 3;

/** The forms in which a secret may turn up: as it is, encoded for URLs, JSON, SQL, shells, hexadecimal, base64, and each of its lines. */
function formsOf(secret: string): string[] {
  const forms = [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("'", "''"),
    secret.replaceAll("\\", "\\\\"),
  ];
  forms.push(
    secret.replace(/[^A-Za-z0-9_]/g, (char) => `\\${char}`),
    Buffer.from(secret, "utf8").toString("hex"),
  );
  try {
    forms.push(decodeURIComponent(secret));
  } catch {
    // Not URL-encoded: then there is no decoded form.
  }
  for (const line of secret.split(/\r?\n/)) if (line.length >= 8) forms.push(line);
  // In base64 a text looks different at each of three offsets; the characters at the ends mix with neighbours and are left out.
  const bytes = Buffer.from(secret, "utf8");
  if (bytes.length >= 6) {
    for (const offset of [0, 1, 2]) {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString("base64")
        .replace(/=+$/, "");
      forms.push(encoded.slice(offset === 0 ? 0 : 4, -2));
    }
  }
  return forms;
}

/** A function that masks every form of the given secrets. Longer forms go first, so that none is cut by a shorter one. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf))].filter(
    (form) => form.length >= SHORTEST,
  );
  forms.sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/**
 * The secrets of a connection string: the whole of it, and its password as written and decoded; also from a `password=` parameter.
 * A string that is no URL counts as a secret whole.
 */
export function secretsOfUrl(url: string): string[] {
  const secrets = [url];
  const add = (password: string): void => {
    if (password === "") return;
    secrets.push(password);
    try {
      secrets.push(decodeURIComponent(password));
    } catch {
      // A stray % : the password is as written.
    }
  };
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(url)?.[1];
  const colon = userinfo?.indexOf(":") ?? -1;
  if (userinfo !== undefined && colon !== -1) add(userinfo.slice(colon + 1));
  for (const match of url.matchAll(/[?&\s]password=([^&\s]+)/gi)) add(match[1] ?? "");
  return secrets;
}
