import type * as z from 'zod'
import { explainIssues } from './explain-issue.ts'
import { flagNumberProblems, octalProblems } from './flag-numbers.ts'
import { IGNORE_FILE } from './ignore-file.ts'
import { isKind, KINDS, type Kind } from './kinds.ts'
import type { Problem } from './problem.ts'
import { REPO_API_VERSION } from './schema/common.ts'
import { KUBELET_API_VERSION, KUBELET_CONFIG_KIND, plainKubeletConfiguration } from './schema/kubelet-config.ts'
import type { Path, Source } from './source.ts'
import { didYouMean } from './suggest.ts'

/** A document whose kind and name are known; `spec` only when all of it is valid. */
export interface LoadedDocument {
  readonly kind: Kind
  readonly name: string
  readonly spec?: unknown
  readonly source: Source
}

/** What came of a piece of YAML. */
export interface Interpreted {
  readonly documents: readonly LoadedDocument[]
  readonly problems: readonly Problem[]
}

/** Gives places by paths within the spec, once it is known where in the document that is. */
export type SourceWith = (toDocument: (path: Path) => Path) => Source

/** @param whole gives places by paths within the document. */
export function interpretDocument(value: unknown, whole: Source, sourceWith: SourceWith): Interpreted {
  const { apiVersion, kind } = headOf(value)
  if (apiVersion === KUBELET_API_VERSION) return interpretPlain(value, whole, sourceWith)
  if (apiVersion !== REPO_API_VERSION) return headProblem(value, whole, { apiVersion: [REPO_API_VERSION, KUBELET_API_VERSION] })
  if (!isKind(kind)) return headProblem(value, whole, { kind: Object.keys(KINDS) })
  const source = sourceWith((path) => ['spec', ...path])
  const { data, problems } = validate(KINDS[kind], value, whole)
  if (!data) return { documents: named(kind, value, { source }), problems }
  const spec =
    'config' in data.spec && kind === 'KubeletConfig' ? { ...data.spec, config: fieldsOnly(data.spec.config) } : data.spec
  return {
    documents: named(kind, value, { source, spec }),
    problems: [...flagNumberProblems(spec, source), ...octalProblems(spec, source)],
  }
}

/** Which document a value is, whether it is valid or not. */
export function identityOf(value: unknown): { readonly kind: Kind; readonly name: string } | undefined {
  const { apiVersion, kind, metadata } = headOf(value)
  const { name } = headOf(metadata)
  const known = apiVersion === KUBELET_API_VERSION ? 'KubeletConfig' : kind
  return isKind(known) && typeof name === 'string' ? { kind: known, name } : undefined
}

/** A KubeletConfiguration as the kubelet itself reads it, but for the name. */
function interpretPlain(value: unknown, whole: Source, sourceWith: SourceWith): Interpreted {
  if (headOf(value).kind !== KUBELET_CONFIG_KIND) return headProblem(value, whole, { kind: [KUBELET_CONFIG_KIND] })
  const source = sourceWith((path) => path.slice(1))
  const { data, problems } = validate(plainKubeletConfiguration, value, whole)
  if (!data) return { documents: named('KubeletConfig', value, { source }), problems }
  const { metadata: _, ...config } = data
  const spec = { config: fieldsOnly(config) }
  return { documents: named('KubeletConfig', value, { source, spec }), problems: [...problems, ...octalProblems(spec, source)] }
}

/** What a configuration says of itself is the same everywhere and configures nothing. */
function fieldsOnly({ apiVersion: _, kind: __, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return fields
}

function validate<Schema extends z.ZodType>(schema: Schema, value: unknown, source: Source) {
  const result = schema.safeParse(value)
  if (result.success) return { data: result.data, problems: [] }
  return { data: undefined, problems: explainIssues(result.error.issues, { schema, value, source }) }
}

function named(kind: Kind, value: unknown, rest: Pick<LoadedDocument, 'source' | 'spec'>): LoadedDocument[] {
  const { name } = headOf(headOf(value).metadata)
  return typeof name === 'string' ? [{ kind, name, ...rest }] : []
}

/** @param expected what one field of the head may be. */
function headProblem(
  value: unknown,
  whole: Source,
  expected: { apiVersion: readonly string[] } | { kind: readonly string[] },
): Interpreted {
  const [field, known] = 'kind' in expected ? (['kind', expected.kind] as const) : (['apiVersion', expected.apiVersion] as const)
  const found = headOf(value)[field]
  const message = `expected ${field} to be ${known.map((name) => `"${name}"`).join(' or ')}`
  const problem: Problem = {
    severity: 'error',
    reason: field === 'kind' ? 'UnknownKind' : 'UnknownApiVersion',
    at: whole.where([field]),
    message: found === undefined ? `field "${field}" is missing: ${message}` : message,
    remedy: meant(found, known) ?? `a file of another tool? name it in ${IGNORE_FILE}`,
  }
  return { documents: [], problems: [problem] }
}

/** A group of another tool is no misspelt one of ours, however alike their ends are. */
function meant(found: unknown, known: readonly string[]): string | undefined {
  if (typeof found !== 'string' || (found.includes('/') && !/nodewave|kubelet/i.test(found))) return undefined
  return didYouMean(found, known)
}

function headOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}
