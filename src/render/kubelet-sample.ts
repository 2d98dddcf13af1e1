import { failsOnCgroupV1 } from '../protocol/cgroup-version.ts'
import { splitFlagString } from '../protocol/flag-string.ts'
import type { ConfigMode } from '../protocol/host-document.ts'
import type { JsonObject } from '../protocol/merge-patch.ts'
import { own } from '../protocol/own.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { NodePoolSpec } from '../repo/schema/node-pool.ts'
import { collectTemplates } from './collect-templates.ts'
import { fillFields } from './fill-fields.ts'
import { configLayers, flagLayers, type LayerSubject } from './layers.ts'
import { expressionMistake, numberOn } from './node-numbers.ts'
import { configText, mergeConfig } from './prepare-config.ts'
import { flagString, type MergedFlags, mergeFlags, splitFlags } from './prepare-flags.ts'
import type { Origin } from './render-problem.ts'
import { traceConfig } from './trace-config.ts'

/**
 * What a kubelet would be started with by a pool, on a node that has no overrides. Without what it refuses only for the cgroup v1 of the
 * machine that runs it: that machine is not the node.
 */
export interface KubeletSample {
  /** As the kubelet gets them, in order, without quoting. */
  readonly args: readonly string[]
  /** Text of its configuration file; absent when the repository says nothing of it. */
  readonly config?: string
  /** For an overlay, `config` is not all that the kubelet will read: the host's own file lies beneath. */
  readonly configMode: ConfigMode
  /** Where each flag and each field comes from. */
  readonly origins: readonly SampleOrigin[]
}

export interface SampleOrigin {
  /** As a kubelet writes it when it complains: `--max-pods` for a flag, the steps to a field. */
  readonly path: readonly string[]
  readonly origin: Origin
}

/** Values that a node would have to fill in; each is one that a kubelet takes. */
const MADE_UP: Readonly<Record<string, string>> = {
  'node.name': 'node-0',
  'node.arch': 'amd64',
  'node.osImage': 'Linux',
  'node.internalIP': '192.0.2.1',
}

/** @throws {RenderError} when nothing can be rendered for the pool; a model that passed its check has no such pool. */
export function kubeletSample(model: FleetModel, pool: Doc<NodePoolSpec>): KubeletSample {
  const subject: LayerSubject = { pool, overrides: [] }
  const flags = mergeFlags(flagLayers(model, subject), model.fleet.spec.mapFlags)
  const layers = configLayers(model, subject)
  const resolved = madeUp(collectTemplates(flags, layers).references.keys())
  const { shared, own } = splitFlags(flags)
  const version = pool.spec.kubelet?.version
  const fields = mergeConfig(layers, 'full')
  const args = [shared, own].flatMap((part) => splitFlagString(flagString(part, resolved) ?? ''))
  const fails = failsOnCgroupV1({ version: version ?? '', args, document: fields ?? {} })
  return {
    args: fails ? [...args, '--fail-cgroupv1=false'] : args,
    ...(fields && { config: configText(fillFields(onAnyCgroup(fields), { resolved, version })) }),
    configMode: pool.spec.kubelet?.configMode ?? 'overlay',
    origins: [...originsOfFlags(flags), ...traceConfig(layers)],
  }
}

/** With cgroup v1, a kubelet refuses false and nothing else of this field. */
function onAnyCgroup(fields: JsonObject): JsonObject {
  return fields.singleProcessOOMKill === false ? { ...fields, singleProcessOOMKill: true } : fields
}

function madeUp(references: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...references].map((reference) => [reference, own(MADE_UP, reference) ?? madeUpOf(reference)]))
}

/** Of labels nothing is known. A number that depends on them is one that no field refuses for its size. */
function madeUpOf(reference: string): string {
  if (expressionMistake(reference) !== undefined) return 'value'
  return numberOn(reference, { name: 'node-0', labels: {}, arch: 'amd64', osImage: '', cpu: 4, memory: 16 * 2 ** 30 }) ?? '50'
}

function originsOfFlags(flags: MergedFlags): SampleOrigin[] {
  return [...flags].map(([name, { doc, path }]) => ({ path: [`--${name}`], origin: { doc, path } }))
}
