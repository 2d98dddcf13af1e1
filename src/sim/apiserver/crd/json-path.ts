import type { Json } from '../json.ts'
import { isArray, isObject } from '../json.ts'

type Step = (value: Json) => readonly Json[]

const TOKEN =
  /\.((?:[^.[\]\s\\'"]|\\.)+)|\['((?:[^'\\]|\\.)+)'\]|\[(\d+|\*)\]|\[\?\(@\.([\w.-]+)\s*==\s*(?:'([^']*)'|"([^"]*)")\)\]/y

/**
 * The values at a JSON path as printer columns use them: `.spec.a`, `.metadata.annotations['x']`, `.items[0]`, `[*]`, and
 * `[?(@.type=='Ready')]`. Nothing there gives none; a path outside this gives none as well.
 */
export function valueAtPath(value: Json, path: string): readonly Json[] {
  let found: readonly Json[] = [value]
  for (const step of parsed(path)) found = found.flatMap((item) => step(item))
  return found
}

const cache = new Map<string, readonly Step[]>()

function parsed(path: string): readonly Step[] {
  const known = cache.get(path)
  if (known) return known
  const steps: Step[] = []
  const text = path.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '')
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) return [() => []]
    steps.push(stepOf(match))
  }
  cache.set(path, steps)
  return steps
}

function stepOf([, name, quoted, index, filterPath, single, double]: readonly (string | undefined)[]): Step {
  if (index !== undefined && index !== '*') return (value) => (isArray(value) ? [value[Number(index)] ?? []].flat() : [])
  if (index === '*' || name === '*')
    return (value) => (isArray(value) ? value : isObject(value) ? (Object.values(value) as Json[]) : [])
  if (filterPath !== undefined) {
    const wanted = single ?? double
    return (value) =>
      isArray(value) ? value.filter((item) => String(valueAtPath(item, `.${filterPath}`)[0] ?? '') === wanted) : []
  }
  const key = (name ?? quoted ?? '').replaceAll(/\\(.)/g, '$1')
  return (value) => {
    const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
    return member === undefined ? [] : [member]
  }
}
