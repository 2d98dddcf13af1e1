import { foreignText } from '../../protocol/foreign-text.ts'

/** A description as a forge takes it: on one line, and not too long. */
export function cutDescription(text: string, longest: number): string {
  if (longest === 0) return ''
  const shown = foreignText(text, text.length * 12)
  return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown
}
