import type { Problem } from './problem.ts'
import type { YamlText } from './source.ts'

/** Marks that turn the direction of text. Forges show what they do, not them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g
/** Of many such texts the first one is reported. */
const MOST = 10

/** A reviewer of such a line sees other text than what counts. */
export function turnedText(yaml: YamlText): Problem[] {
  return [...yaml.text.matchAll(TURNING)].slice(0, MOST).map(({ 0: mark, index }) => {
    const code = mark.charCodeAt(0).toString(16).toUpperCase()
    return {
      severity: 'warning',
      reason: 'InvalidValue',
      at: yaml.place([index, index + 1]),
      message: `the invisible character U+${code} turns the direction of text: reviewers see another line than the one that counts`,
      remedy: `remove it; where it is meant, write "\\u${code}" in double quotes`,
    }
  })
}
