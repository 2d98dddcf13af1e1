import type { Problem } from './problem.ts'
import type { Flags } from './schema/common.ts'
import type { Path, Source } from './source.ts'

/** Where specs have flags and fields of the kubelet, whatever their kind. */
interface WithFlags {
  readonly flags?: Flags
  readonly config?: unknown
  readonly kubelet?: { readonly flags?: Flags }
}

/** YAML takes `1.30` for 1.3 and `0644` for 644. A flag is text in the end, so what was written must be what arrives. */
export function flagNumberProblems(spec: object, source: Source): Problem[] {
  const { flags, kubelet }: WithFlags = spec
  return [...check(flags, ['flags'], source), ...check(kubelet?.flags, ['kubelet', 'flags'], source)]
}

/** What a kubelet reads in its own file as octal is decimal here: whoever wrote it may have meant either. */
export function octalProblems(spec: object, source: Source): Problem[] {
  const { config }: WithFlags = spec
  return numbersBelow(config, ['config']).flatMap((at): Problem[] => {
    const text = source.textAt(at)
    if (!/^[-+]?0\d+$/.test(text)) return []
    const message = `${text} is ${Number(text)} here, and ${/[89]/.test(text) ? 'no number' : Number.parseInt(text, 8)} in the kubelet's own file`
    return [
      { severity: 'error', reason: 'InvalidValue', at: source.where(at), message, remedy: 'write it without the leading 0' },
    ]
  })
}

function numbersBelow(value: unknown, path: Path): Path[] {
  if (typeof value === 'number') return [path]
  if (typeof value !== 'object' || value === null) return []
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return members.flatMap(([key, member]) => numbersBelow(member, [...path, key]))
}

function check(flags: Flags | undefined, base: Path, source: Source): Problem[] {
  return Object.entries(flags ?? {}).flatMap(([name, value]) =>
    numbersIn(value).flatMap(([path, number]): Problem[] => {
      const at = [...base, name, ...path]
      const text = source.textAt(at)
      if (text === String(number)) return []
      const message = `YAML reads ${text} as the number ${number}`
      return [{ severity: 'error', reason: 'InvalidValue', at: source.where(at), message, remedy: `write  "${text}"` }]
    }),
  )
}

function numbersIn(value: Flags[string]): [path: Path, number: number][] {
  if (typeof value === 'number') return [[[], value]]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, item]): [Path, number][] => (typeof item === 'number' ? [[[key], item]] : []))
}
