import { AgentError, asAgentError } from '../agent-error.ts'
import type { KubeletTarget } from '../kubelet/layout.ts'
import { refuseLostStaticPods } from '../kubelet/static-pods.ts'
import { sameVersion } from '../kubelet/versions.ts'
import { KUBELET_BINARY } from '../paths.ts'
import type { StageContext, StagePlace } from '../resources/kind.ts'
import type { Target } from '../resources/target.ts'
import { sha256Of } from '../sha256.ts'
import type { Plan } from './plan.ts'

/**
 * Brings everything that the plan needs onto the host, and lets the kubelet that is going to run judge what it is going to run with.
 * Nothing that runs is disturbed.
 * @throws {AgentError} `download` when something could not be had, `validate` when it would not work.
 */
export async function stage(target: Target, plan: Plan, place: StagePlace): Promise<void> {
  const { kubelet, version } = target
  const upcoming = new Map(plan.steps.flatMap(({ change }) => [...(change.effects.writes ?? [])]))
  const context = { ...place, upcoming }
  const changed = plan.steps.flatMap(({ change }) => change.subjects)
  if (kubelet) await refuseLostStaticPods(kubelet, { changed, files: context.ports.files })
  const replaced = changed.includes(kubelet?.binary?.subject ?? KUBELET_BINARY)
  if (kubelet && replaced) await keepBinary(kubelet, context)
  for (const { change } of plan.steps) await change.stage(context)
  if (kubelet === undefined) return
  const binary = replaced ? await incoming(kubelet, context) : KUBELET_BINARY
  if (kubelet.fetchesVersion) return
  // A binary that comes out of the local configuration ran with it before, and is not where a staged one would be.
  const isJudged = disturbsKubelet(kubelet, plan) && !(replaced && kubelet.binary === undefined)
  await all([
    version === undefined ? undefined : requireVersion(version, { binary, context }),
    isJudged ? preflight(kubelet, { binary, context }) : undefined,
  ])
}

/** A package that is there in its version, and that is only held from now on, brings none. */
async function incoming({ binary }: KubeletTarget, { ports }: StageContext): Promise<string> {
  if (binary === undefined) return KUBELET_BINARY
  const isThere = binary.artifact !== undefined || (await ports.files.stat(binary.staged)) !== undefined
  return isThere ? binary.staged : KUBELET_BINARY
}

/** Side by side, but nothing is left running behind; of several complaints the first counts. */
async function all(works: readonly (Promise<void> | undefined)[]): Promise<void> {
  for (const ended of await Promise.allSettled(works)) if (ended.status === 'rejected') throw ended.reason
}

/** Under the name that it would be downloaded to: should the new one fail its trial, going back needs no network. */
async function keepBinary({ binary }: KubeletTarget, { ports, paths }: StageContext): Promise<void> {
  const sha256 = await ports.files.sha256(KUBELET_BINARY)
  const kept = `${paths.staging}/kubelet-${sha256}`
  // Only its mode differs: then it is not what to go back to, and staging it would change the one that runs.
  if (sha256 === undefined || sha256 === binary?.artifact?.sha256) return
  if ((await ports.files.sha256(kept)) !== sha256) await ports.files.keep(KUBELET_BINARY, kept)
}

/** Without a release nothing here can bring a version onto the host, and restarting the old one would only look like an upgrade. */
async function requireVersion(
  wanted: string,
  { binary, context }: { readonly binary: string; readonly context: StageContext },
): Promise<void> {
  const found = await context.ports.kubelet.version(binary).catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'validate', reason: 'KubeletNotRunnable' })
  })
  if (sameVersion(found, wanted)) return
  throw new AgentError(
    `bring kubelet ${wanted} onto the host: "${binary}" is ${found}; name a release with a binary or a package of that version in the host document`,
    { kind: 'validate', reason: 'VersionNotAvailable' },
  )
}

function disturbsKubelet(kubelet: KubeletTarget, plan: Plan): boolean {
  const subjects = kubelet.resources.map(({ subject }) => subject)
  return plan.steps.some(({ change }) => change.subjects.some((subject) => subjects.includes(subject)))
}

async function preflight(
  kubelet: KubeletTarget,
  { binary, context }: { readonly binary: string; readonly context: StageContext },
): Promise<void> {
  const { files, kubelet: probe, log } = context.ports
  if ((await files.stat(binary)) === undefined) return log.info('preflight skipped: no kubelet binary', { binary })
  const config = await stageConfig(kubelet, context)
  const verdict = await probe.preflight({ binary, args: kubelet.args, ...(config === undefined ? {} : { config }) })
  if (!verdict.ok) throw new AgentError(`preflight: ${verdict.message}`, { kind: 'validate', reason: 'PreflightFailed' })
  for (const warning of verdict.warnings) log.warn('the kubelet takes its configuration with a warning', { warning })
}

async function stageConfig({ config }: KubeletTarget, { ports, paths }: StageContext): Promise<string | undefined> {
  if (config === undefined) return undefined
  if (config.text === undefined) return (await ports.files.stat(config.path)) && config.path
  const bytes = Buffer.from(config.text)
  // Named by content: a fix and a way back may be staged side by side.
  const path = `${paths.staging}/kubelet-config-${sha256Of(bytes).slice(0, 20)}.yaml`
  await ports.files.writeAtomic(path, bytes, { mode: 0o600 })
  return path
}
