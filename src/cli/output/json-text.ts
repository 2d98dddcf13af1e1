/** What JSON and YAML allow as it is though a terminal obeys it: controls of C1, and marks that turn the direction of text. */
export const OBEYED = /[\u007f-\u009f\p{Cf}]/gu

/** With a line break at its end. Whoever parses it gets the same value. */
export function jsonText(value: unknown, indent = 2): string {
  return `${JSON.stringify(value, null, indent).replace(OBEYED, escaped)}\n`
}

/** JSON writes a character beyond 16 bits as two. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
