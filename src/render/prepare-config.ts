import type { ConfigMode } from '../protocol/host-document.ts'
import { applyMergePatch, type JsonObject, leavesOf } from '../protocol/merge-patch.ts'
import type { KubeletFields } from '../repo/schema/common.ts'
import { KUBELET_API_VERSION, KUBELET_CONFIG_KIND } from '../repo/schema/kubelet-config.ts'
import type { Layer } from './layers.ts'
import { composeMergePatches, UnsayableError } from './merge-config.ts'
import { problemAt, RenderError, type RenderProblem } from './render-problem.ts'
import { isSameOrWithin } from './trace-config.ts'
import { yamlText } from './yaml-text.ts'

/**
 * The fields of all layers. For an overlay it is a merge patch that the agent applies to the host's own file, so nulls stay in it; in
 * full it is the file.
 * @returns undefined when no layer says anything.
 * @throws {RenderError} when an overlay cannot say what the layers do together.
 */
export function mergeConfig(layers: readonly Layer<KubeletFields>[], mode: ConfigMode): JsonObject | undefined {
  if (layers.length === 0) return undefined
  const patches = layers.map((layer) => layer.value)
  try {
    return mode === 'full' ? mergeInFull(patches) : composeMergePatches(patches)
  } catch (cause) {
    if (!(cause instanceof UnsayableError)) throw cause
    throw new RenderError(unsayable(cause.path, layers), { cause })
  }
}

/** The text of the kubelet's configuration file. */
export function configText(fields: JsonObject): string {
  return yamlText({ ...fields, apiVersion: KUBELET_API_VERSION, kind: KUBELET_CONFIG_KIND })
}

function mergeInFull(patches: readonly JsonObject[]): JsonObject {
  return patches.reduce<JsonObject>((merged, patch) => applyMergePatch(merged, patch), {})
}

function unsayable(path: readonly string[], layers: readonly Layer<KubeletFields>[]): RenderProblem {
  const message = `field ${path.join('.')} is removed by one document and set again by another, which cannot be said in an overlay of the host's own file; remove its members one by one, or use configMode: full`
  const concerned = layers.filter(({ value }) => leavesOf(value).some((leaf) => isSameOrWithin(leaf.path, path)))
  return problemAt(message, ...concerned.map(({ doc, path: base }) => ({ doc, path: [...base, ...path] })).reverse())
}
