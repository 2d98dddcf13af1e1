import { byText } from '../protocol/by-text.ts'
import type { Json } from '../protocol/digest.ts'
import { type MapFlags, statedFlags } from '../repo/flag-maps.ts'
import type { Doc, FleetModel, Location } from '../repo/model.ts'
import type { Flags } from '../repo/schema/common.ts'
import type { HostFileSpec } from '../repo/schema/host-profile.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import { fillField } from './fill-fields.ts'
import { appliesTo, configLayers, documentsOf, flagLayers, type Layer, type LayerSubject } from './layers.ts'
import type { NodeFacts } from './node-facts.ts'
import { editLayers } from './render-edits.ts'
import { fileLayers, packageLayers, sysctlLayers, unitLayers } from './render-host.ts'
import { locate, type Origin } from './render-problem.ts'
import { fillTemplates, referencesIn, resolveReference } from './templates.ts'
import { type Sourced, type Traced, traceConfig } from './trace-config.ts'

/** A value as one document states it. */
export interface StatedValue {
  /** As it is on the node, templates filled in; null: the field, or the key of a flag, is removed. */
  readonly value: Json
  /** Kind and name of the document, such as `FlagSet baseline`. */
  readonly source: string
  readonly where: Location
}

export interface ExplainedValue extends StatedValue {
  /** `version`; `flags`, then the name; `config`, then the way to the field; `files`, `edits`, `packages`, `units` or `sysctls`, then the name. */
  readonly path: readonly string[]
  /** What it took the place of, the latest first. */
  readonly overrode: readonly StatedValue[]
}

export interface NodeExplanation {
  readonly node: string
  readonly pool: string
  /** Every document that has a say, those whose word counts more coming later. */
  readonly precedence: readonly string[]
  readonly values: readonly ExplainedValue[]
}

/** Where everything that nodewave sets on a node comes from. */
export function explainNode(
  model: FleetModel,
  { pool, node }: { readonly pool: Doc<NodePoolSpec>; readonly node: NodeFacts },
): NodeExplanation {
  const subject: LayerSubject = { pool, overrides: model.overrides.filter((override) => appliesTo(override, node)) }
  const { version } = pool.spec.kubelet ?? {}
  const traced = [
    ...(version === undefined
      ? []
      : [{ path: ['version'], value: version, origin: { doc: pool, path: ['kubelet', 'version'] }, overrode: [] }]),
    ...traceNamed(
      'flags',
      flagLayers(model, subject).flatMap((layer) => flagsOf(layer, model.fleet.spec.mapFlags)),
    ),
    ...traceConfig(configLayers(model, subject)).map(({ overrode, ...value }) => ({
      ...inConfig(value),
      overrode: overrode.map(inConfig),
    })),
    ...traceNamed('files', fileLayers(model, subject).map(named((file) => file.path))),
    ...traceNamed('edits', editLayers(model, subject).map(valueNamed)),
    ...traceNamed('packages', packageLayers(model, subject).map(named((each) => each.name))),
    ...traceNamed('units', unitLayers(model, subject).map(named((unit) => unit.name))),
    ...traceNamed('sysctls', sysctlLayers(model, subject).map(valueNamed)),
  ]
  const explain = (sourced: Sourced): StatedValue => ({
    value: isFilledIn(sourced) ? onNode(sourced, { node, version }) : sourced.value,
    source: nameOf(sourced.origin.doc),
    where: locate(sourced.origin),
  })
  return {
    node: node.name,
    pool: pool.name,
    precedence: documentsOf(model, subject).map((doc) => nameOf(doc)),
    values: traced.map((value) => ({ path: value.path, ...explain(value), overrode: value.overrode.map(explain) })),
  }
}

function inConfig(value: Sourced): Sourced {
  return { ...value, path: ['config', ...value.path] }
}

interface Named {
  /** The name; of a map that is merged the key, too. */
  readonly name: readonly string[]
  readonly value: Json
  readonly origin: Origin
}

/** A later one replaces what has the same name as a whole. */
function traceNamed(part: string, values: readonly Named[]): Traced[] {
  const traced = new Map<string, Traced>()
  for (const { name, value, origin } of values) {
    const key = JSON.stringify(name)
    const earlier = traced.get(key)
    traced.set(key, {
      path: [part, ...name],
      value,
      origin,
      overrode: earlier === undefined ? [] : [earlier, ...earlier.overrode],
    })
  }
  return [...traced.values()].sort(byText(({ path }) => path.join()))
}

function flagsOf({ doc, path, value }: Layer<Flags>, maps: MapFlags | undefined): Named[] {
  return statedFlags(value, maps).map(({ path: name, value: flag }) => ({
    name,
    value: flag,
    origin: { doc, path: [...path, ...name] },
  }))
}

function named<Value extends Json>(nameIn: (value: Value) => string): (layer: Layer<Value>) => Named {
  return ({ doc, path, value }) => ({ name: [nameIn(value)], value, origin: { doc, path } })
}

function valueNamed({ doc, path, value: { name, value } }: Layer<{ readonly name: string; readonly value: Json }>): Named {
  return { name: [name], value, origin: { doc, path } }
}

/** Braces in a file are its own, unless it is a template. */
function isFilledIn({ value, origin: { path } }: Sourced): boolean {
  return path[0] !== 'files' || (value as HostFileSpec).template === true
}

/** What the node lacks stays as it is written. */
function onNode(
  { path: [part, ...path], value }: Sourced,
  { node, version }: { readonly node: NodeFacts; readonly version: string | undefined },
): Json {
  const found = referencesIn(value).flatMap((reference) => {
    const text = resolveReference(reference, node)
    return text === undefined ? [] : [[reference, text] as const]
  })
  const resolved = new Map(found)
  return part === 'config' ? fillField(path, value, { resolved, version }) : fillTemplates(value, resolved)
}

function nameOf({ kind, name }: Doc<unknown>): string {
  return `${kind} ${name}`
}
