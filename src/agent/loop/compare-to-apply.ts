import { randomUUID } from 'node:crypto'
import { basename } from 'node:path/posix'
import type { NodeContent } from '../../protocol/digest.ts'
import { AgentError } from '../agent-error.ts'
import type { AgentContext } from '../context.ts'
import type { KubeletDropIns } from '../kubelet/config-drop-ins.ts'
import type { KubeletTarget } from '../kubelet/layout.ts'
import { type KubeletSettings, refusalOf, stateFilesOf } from '../kubelet/state-files.ts'
import { KUBELET_UNIT } from '../paths.ts'
import type { Resource, UpcomingFiles } from '../resources/kind.ts'
import { kubeletState } from '../resources/kubelet-state.ts'
import { type Plan, withChanges } from '../transaction/plan.ts'
import { compare, type Prospect } from '../transaction/prospect.ts'
import { withLostUnitsStopped } from './lost-units.ts'

/** The same as `compare`, with units that lose their file, and with what has to go so that the kubelet starts with its new configuration. */
export async function compareToApply(content: NodeContent, context: AgentContext): Promise<Prospect> {
  const compared = await compare(content, context)
  const prospect = { ...compared, plan: await withLostUnitsStopped(compared.plan, context.ports) }
  const { target, plan } = prospect
  if (target.kubelet === undefined || !startsKubelet(plan)) return prospect
  const resources = await stateResets(target.kubelet, prospect, context).catch(leftToKubelet)
  const findings = await Promise.all(resources.map((resource) => resource.observe(context.ports)))
  return {
    ...prospect,
    plan: withChanges(
      plan,
      findings.flatMap(({ change }) => change ?? []),
    ),
  }
}

function startsKubelet({ activation, steps }: Plan): boolean {
  const started = steps.flatMap(({ change }) => change.effects.starts ?? [])
  return [...activation.restarts, ...started].includes(KUBELET_UNIT)
}

/** State files that the kubelet would refuse. */
async function stateResets(
  kubelet: KubeletTarget,
  { plan, dropIns }: Prospect,
  { ports, state }: AgentContext,
): Promise<readonly Resource[]> {
  const { files, services, log } = ports
  const upcoming = new Map(plan.steps.flatMap(({ change }) => [...(change.effects.writes ?? [])]))
  const settings = await effective(kubelet, dropIns, upcoming)
  const before = (await services.show(KUBELET_UNIT)).active === 'active' ? await effective(kubelet.before, dropIns) : undefined
  const directory = `${state.paths.backups}/state-${randomUUID()}`
  const resources: Resource[] = []
  for (const path of stateFilesOf(settings)) {
    if ((await files.stat(path))?.type !== 'file') continue
    const text = Buffer.from((await files.read(path)) ?? []).toString()
    const refusal = refusalOf(path, { text, kubelet: settings })
    if (refusal === undefined) continue
    // One that runs with it has settings that are not where the agent looks, as in the command of its unit.
    if (before && refusalOf(path, { text, kubelet: before })) continue
    log.info('the kubelet would not start over its state file, which is moved aside', { path, because: refusal.because })
    resources.push(kubeletState.of({ path, aside: `${directory}/${basename(path)}`, isInUse: refusal.isInUse }))
  }
  return resources
}

async function effective(
  { document, args }: KubeletSettings,
  dropIns: KubeletDropIns,
  upcoming?: UpcomingFiles,
): Promise<KubeletSettings> {
  return { args, document: await dropIns.over({ document, args }, upcoming) }
}

/** What cannot be read is left to the kubelet: none of it is a file of ours. */
function leftToKubelet(error: unknown): readonly Resource[] {
  if (error instanceof AgentError) return []
  throw error
}
