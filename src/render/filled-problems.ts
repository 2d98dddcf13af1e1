import type { Json } from '../protocol/digest.ts'
import { isJsonObject, type JsonObject, leavesOf } from '../protocol/merge-patch.ts'
import { checkConfig } from '../repo/kubelet-knowledge/check-config.ts'
import { checkFlags } from '../repo/kubelet-knowledge/check-flags.ts'
import { refusedCombinations } from '../repo/kubelet-knowledge/combinations.ts'
import type { KnowledgeFinding } from '../repo/kubelet-knowledge/finding.ts'
import type { KubeletFields } from '../repo/schema/common.ts'
import type { Variant } from './prepare-variant.ts'
import { type Origin, problemAt, type RenderProblem } from './render-problem.ts'
import { fillTemplates, referencesIn } from './templates.ts'

interface Filled {
  /** The configuration with the facts of the node; absent: it has no templates. */
  readonly fields: JsonObject | undefined
  readonly resolved: ReadonlyMap<string, string>
}

/** What came of templates has to be what the kubelet takes, as if it stood in Git; `validate` cannot know it. */
export function filledProblems(variant: Variant, { fields, resolved }: Filled): RenderProblem[] {
  const { version, ownFlags, templatedConfig } = variant
  const templated = [...ownFlags].filter(([, { value }]) => referencesIn(value).length > 0)
  const flags = Object.fromEntries(templated.map(([name, { value }]) => [name, fillTemplates(value, resolved)]))
  const ofFlags = checkFlags(flags, version).map((finding) => {
    const flag = ownFlags.get(String(finding.path[0]))
    return problemOf(finding, flags[String(finding.path[0])] ?? null, flag)
  })
  if (fields === undefined || templatedConfig === undefined) return ofFlags
  const places = leavesOf(templatedConfig).filter(({ value }) => referencesIn(value).length > 0)
  const originOf = (value: Json) => referencesIn(value).flatMap((reference) => variant.references.get(reference) ?? [])[0]
  const ofFields = checkConfig(fields as KubeletFields, version).flatMap((finding) => {
    const place = places.find(({ path }) => isBelow(finding.path, path))
    return place === undefined ? [] : [problemOf(finding, valueAt(fields, place.path), originOf(place.value))]
  })
  return [...ofFlags, ...ofFields, ...combinationProblems(fields, { places, version, originOf })]
}

/** Characters: the status of the pool repeats it. */
const LONGEST_SHOWN = 200

function problemOf({ message }: KnowledgeFinding, value: Json, origin: Origin | undefined): RenderProblem {
  const shown = JSON.stringify(value).slice(0, LONGEST_SHOWN)
  return problemAt(`on this node, the value becomes ${shown}: ${message}`, ...(origin ? [origin] : []))
}

/** Of fields that are filled in, with all others. */
function combinationProblems(
  fields: JsonObject,
  {
    places,
    version,
    originOf,
  }: {
    readonly places: ReturnType<typeof leavesOf>
    readonly version: string | undefined
    readonly originOf: (value: Json) => Origin | undefined
  },
): RenderProblem[] {
  const stated = new Map(leavesOf(fields).map(({ path, value }): [string, unknown] => [path.join('.'), value]))
  for (const [name, value] of Object.entries(fields)) stated.set(name, value)
  return refusedCombinations({ stated, hasBase: true }, version).flatMap(({ fields: concerned, message, certain }) => {
    const place = places.find(({ path }) => concerned.includes(path.join('.')) || concerned.includes(path[0] ?? ''))
    const origin = place && originOf(place.value)
    return certain && place ? [problemAt(`on this node, ${message}`, ...(origin ? [origin] : []))] : []
  })
}

/** A finding about a map or a list names the whole. */
function isBelow(finding: readonly (string | number)[], place: readonly string[]): boolean {
  return finding.every((step, index) => index >= place.length || String(step) === place[index])
}

function valueAt(fields: Json, path: readonly string[]): Json {
  return path.reduce<Json>((value, step) => (isJsonObject(value) ? (value[step] ?? null) : null), fields)
}
