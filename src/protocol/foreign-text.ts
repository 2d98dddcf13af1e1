/**
 * Text that somebody else wrote, so that it can stand in events, conditions, logs and on terminals: control characters, and those that hide
 * text or turn it around, are shown as what they are, and what is over the bound is cut off.
 */
export function foreignText(text: string, longest: number): string {
  if (text.length <= longest && PLAIN.test(text)) return text
  const shown = text.slice(0, longest).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)
  return shown.slice(0, longest).toWellFormed()
}

/** Nearly all of it. */
const PLAIN = /^[ -~]*$/

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
