import { AgentError } from '../agent-error.ts'
import type { Resource } from '../resources/kind.ts'
import { type Baseline, type Baselines, isSame, type Place, writeBaselines } from './baselines.ts'

/**
 * Takes into the baselines what others have changed since. What is ours on the host is distinguished from what is theirs by what the host
 * should be; what still is ours keeps the baseline it has.
 * @param options.resources of the active configuration
 */
export async function recaptureBaselines(
  before: Baselines,
  options: Place & { readonly resources: readonly Resource[] },
): Promise<{ readonly baselines: Baselines; readonly recaptured: string[] }> {
  const list: Baseline[] = []
  for (const baseline of before.list) list.push(await recaptureOne(baseline, options))
  const recaptured = list.filter((baseline, index) => baseline !== before.list[index]).map(({ key }) => key)
  const baselines = { ...before, list }
  if (recaptured.length > 0) await writeBaselines(baselines, options)
  return { baselines, recaptured }
}

async function recaptureOne(
  baseline: Baseline,
  { resources, host, paths, kinds }: Place & { readonly resources: readonly Resource[] },
): Promise<Baseline> {
  const resource = resources.find(({ kind, subject }) => isSame({ kind, key: subject }, baseline, kinds))
  if (resource === undefined) return baseline
  const context = { host, paths, ours: baseline.base.directories }
  const base = await resource.recapture(baseline.base, context).catch((error: unknown) => {
    // What is no regular file any more is reported as drift; it says nothing of what the host would have.
    if (error instanceof AgentError && error.kind !== 'internal') return baseline.base
    throw error
  })
  return JSON.stringify(base.record) === JSON.stringify(baseline.base.record) ? baseline : { ...baseline, base }
}
