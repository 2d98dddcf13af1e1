/** What agents, people and commits wrote ends up on a terminal: no control characters get there. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')
}
