import { canonicalJson } from '../protocol/digest.ts'
import type { HostDocument } from '../protocol/host-document.ts'
import type { JsonObject } from '../protocol/merge-patch.ts'
import { PAYLOAD_KEYS } from '../protocol/names.ts'
import type { FleetModel } from '../repo/model.ts'
import { collectTemplates } from './collect-templates.ts'
import { configLayers, flagLayers, type LayerSubject } from './layers.ts'
import { overrideConflicts } from './override-conflicts.ts'
import { makePayload, type Payload, sizeProblems } from './payload.ts'
import { configText, mergeConfig } from './prepare-config.ts'
import { flagString, type MergedFlags, mergeFlags, splitFlags, unmergeableFlags } from './prepare-flags.ts'
import { editConflicts } from './render-edits.ts'
import { renderHostDocument } from './render-host.ts'
import { collecting, type Origin, type RenderProblem } from './render-problem.ts'
import { renderSecretDocument } from './render-secrets.ts'
import { sectionClashes } from './section-clashes.ts'
import { templatedFiles } from './templated-files.ts'
import { referencesIn } from './templates.ts'

export interface TemplatedHost {
  readonly document: HostDocument
  /** Of the files whose content is filled in. */
  readonly paths: ReadonlySet<string>
}

/** All that the nodes of one pool with the same overrides have in common. What is left to do for a node is to fill in templates. */
export interface Variant {
  readonly pool: string
  /** Any of these keeps every node of the variant from being rendered. */
  readonly problems: readonly RenderProblem[]
  /** What the node must provide, and where that is asked for. */
  readonly references: ReadonlyMap<string, Origin>
  readonly version?: string | undefined
  /** In the ConfigMap. */
  readonly sharedFlags?: string | undefined
  /** In KUBELET_OPTS. */
  readonly ownFlags: MergedFlags
  /** Present when it has templates; the kubelet's ConfigMap is then the node's own. */
  readonly templatedConfig?: JsonObject | undefined
  /** The kubelet's ConfigMap, when it is the same on every node and there is anything in it. */
  readonly kubelet?: Payload | undefined
  /** Where files have templates, they are in it as they are written; nodes get documents of their own. */
  readonly host: Payload
  /** Present when files have templates. */
  readonly templatedHost?: TemplatedHost | undefined
  /** Becomes a Secret. */
  readonly secret?: Payload | undefined
}

export function prepareVariant(model: FleetModel, subject: LayerSubject): Variant {
  const { name: pool, spec } = subject.pool
  const { mapFlags } = model.fleet.spec
  const layersOfFlags = flagLayers(model, subject)
  const flags = mergeFlags(layersOfFlags, mapFlags)
  const { shared, own } = splitFlags(flags)
  const document = renderHostDocument(model, subject)
  const filled = templatedFiles(model, subject)
  const templates = collectTemplates(flags, configLayers(model, subject), filled)
  const host = hostPayload(pool, document)
  const secretText = renderSecretDocument(model, subject)
  const secret = secretText === undefined ? undefined : makePayload(pool, 'secret', { [PAYLOAD_KEYS.secret]: secretText })
  const problems = [
    ...(mapFlags === 'Merge' ? unmergeableFlags(layersOfFlags) : []),
    ...overrideConflicts(subject, mapFlags),
    ...sectionClashes(model, subject),
    ...editConflicts(model, subject),
    ...templates.problems,
  ]
  const sharedFlags = collecting(problems, () => flagString(shared, new Map()))
  const config = collecting(problems, () => mergeConfig(configLayers(model, subject), spec.kubelet?.configMode ?? 'overlay'))
  const isTemplated = config !== undefined && referencesIn(config).length > 0
  const kubelet = isTemplated ? undefined : kubeletPayload(pool, sharedFlags, config)
  problems.push(...sizeProblems(kubelet), ...sizeProblems(host), ...sizeProblems(secret))
  return {
    pool,
    version: spec.kubelet?.version,
    sharedFlags,
    ownFlags: own,
    templatedConfig: isTemplated ? config : undefined,
    kubelet,
    host,
    templatedHost: filled.length === 0 ? undefined : { document, paths: new Set(filled.map(({ file }) => file.path)) },
    secret,
    references: templates.references,
    problems,
  }
}

/** @returns undefined when there would be nothing in it. */
export function kubeletPayload(pool: string, flags: string | undefined, config: JsonObject | undefined): Payload | undefined {
  if (flags === undefined && config === undefined) return undefined
  return makePayload(pool, 'kubelet', {
    ...(flags === undefined ? {} : { [PAYLOAD_KEYS.flags]: flags }),
    ...(config === undefined ? {} : { [PAYLOAD_KEYS.config]: configText(config) }),
  })
}

export function hostPayload(pool: string, document: HostDocument): Payload {
  return makePayload(pool, 'host', { [PAYLOAD_KEYS.host]: hostText(document) })
}

/** For people who read the ConfigMap: one member a line, keys sorted. */
function hostText(document: HostDocument): string {
  return JSON.stringify(JSON.parse(canonicalJson(document)), null, 2)
}
