import { MAX_YAML_BYTES } from '../parse-yaml.ts'
import type { Problem } from '../problem.ts'
import type { VariableValue } from '../schema/cluster.ts'
import { didYouMean } from '../suggest.ts'
import { mapScalars, type Origin, type ValueTree } from './value-tree.ts'

/** `{{ cluster.region }}`; templates of nodes have other names and are left as they are. */
const REFERENCE = /\{\{\s*cluster\.([^{}\s]*)\s*\}\}/g

export interface Variable {
  readonly value: VariableValue
  readonly origin: Origin
}
export type Variables = ReadonlyMap<string, Variable>

export function mentionsVariables(text: string): boolean {
  return text.search(REFERENCE) !== -1
}

/** A text that is one reference becomes the variable's value, with its type and place; elsewhere the value is put into the text. */
export function fillVariables(
  tree: ValueTree,
  variables: Variables,
): { readonly tree: ValueTree; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  let room = MAX_YAML_BYTES
  const filled = mapScalars(tree, (scalar) => {
    if (typeof scalar.value !== 'string' || !mentionsVariables(scalar.value)) return scalar
    const names = [...scalar.value.matchAll(REFERENCE)].map(([, name = '']) => name)
    const unknown = names.filter((name) => !variables.has(name))
    problems.push(...unknown.map((name) => unknownVariable(name, { at: scalar.origin, variables })))
    room -= names.reduce((sum, name) => sum + String(variables.get(name)?.value ?? '').length, scalar.value.length)
    if (room < 0) {
      problems.push(...(problems.some(({ reason }) => reason === 'InvalidValue') ? [] : [tooLarge(scalar.origin)]))
      return scalar
    }
    const whole = new RegExp(`^${REFERENCE.source}$`).exec(scalar.value)?.[1]
    const variable = whole === undefined ? undefined : variables.get(whole)
    if (variable) return { kind: 'scalar', ...variable }
    return { ...scalar, value: filledText(scalar.value, (name) => variables.get(name)?.value) }
  })
  return { tree: filled, problems }
}

/** A short text can mention a long variable ten thousand times. */
function tooLarge({ source, path }: Origin): Problem {
  const message = `the document becomes larger than ${MAX_YAML_BYTES} bytes with its variables`
  return { severity: 'error', reason: 'InvalidValue', at: source.where(path), message }
}

/** References to what is not known stay. */
export function filledText(text: string, valueNamed: (name: string) => VariableValue | undefined): string {
  return text.replace(REFERENCE, (reference, name: string) => String(valueNamed(name) ?? reference))
}

function unknownVariable(name: string, { at, variables }: { readonly at: Origin; readonly variables: Variables }): Problem {
  const known = [...variables.keys()]
  return {
    severity: 'error',
    reason: 'MissingReference',
    at: at.source.where(at.path),
    message: `the cluster has no variable "${name}"`,
    remedy: didYouMean(name, known) ?? `known: ${known.join(', ')}`,
  }
}
