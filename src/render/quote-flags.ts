import { formatFlagString, unrepresentableIn } from '../protocol/flag-string.ts'
import { LESS_THAN_FLAGS } from '../repo/kubelet-knowledge/flag-as-field.ts'
import type { FlagValue } from '../repo/schema/common.ts'

type Scalar = string | number | boolean

/** A value that cannot be said in the kubelet's own syntax; `flag` has it without dashes. */
export class FlagValueError extends Error {
  override readonly name = 'FlagValueError'
  readonly flag: string
  constructor(flag: string, message: string) {
    super(`flag --${flag}: ${message}`)
    this.flag = flag
  }
}

/**
 * Flags in one line, as systemd splits it and the kubelet then reads it: sorted by name, lists joined by commas, maps as `k=v,k2=v2`.
 * @throws {FlagValueError} naming the flag and the value that this syntax cannot carry.
 */
export function quoteFlags(flags: Readonly<Record<string, FlagValue>>): string {
  const names = Object.keys(flags).sort()
  return formatFlagString(names.map((name) => flagArgument(name, flags[name] ?? '')))
}

function flagArgument(name: string, value: FlagValue): string {
  const text = flagText(name, value)
  const culprit = unrepresentableIn(text)
  if (culprit !== undefined)
    throw new FlagValueError(
      name,
      `${JSON.stringify(text)} has the character ${culprit} in it, which no environment file carries`,
    )
  return `--${name}=${text}`
}

function flagText(name: string, value: FlagValue): string {
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.map((item) => checked(name, item, /[,"]/)).join(',')
  const separator = LESS_THAN_FLAGS.has(name) ? '<' : '='
  return Object.keys(value)
    .sort()
    .map((key) => `${checked(name, key, /[,=<]/)}${separator}${checked(name, value[key] ?? '', /,/, 'may be empty')}`)
    .join(',')
}

/** The kubelet splits at commas and trims, and knows no way to escape either. */
function checked(name: string, item: Scalar, forbidden: RegExp, emptiness?: 'may be empty'): string {
  const text = String(item)
  const found = forbidden.exec(text)?.[0]
  if (found !== undefined)
    throw new FlagValueError(name, `"${text}" has a ${found} in it, which the kubelet would take for the end of the item`)
  if (text !== text.trim())
    throw new FlagValueError(name, `"${text}" begins or ends with a blank, which the kubelet would take away`)
  if (text === '' && emptiness === undefined)
    throw new FlagValueError(name, 'an item is empty, which the kubelet would leave out')
  return text
}
