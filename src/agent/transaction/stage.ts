import { AgentError, asAgentError } from '../agent-error.ts'
import { allEnded } from '../all-ended.ts'
import { refuseCgroupV1 } from '../kubelet/cgroup-version.ts'
import type { KubeletTarget } from '../kubelet/layout.ts'
import { refuseReservedBelowUse } from '../kubelet/reserved-groups.ts'
import { refuseLostStaticPods, refuseTwins, refuseUnread, staticPodPaths } from '../kubelet/static-pods.ts'
import { sameVersion } from '../kubelet/versions.ts'
import { KUBELET_BINARY } from '../paths.ts'
import type { StageContext, StagePlace } from '../resources/kind.ts'
import { STATIC_POD } from '../resources/static-pod.ts'
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
  const changed = plan.steps.flatMap(({ change }) => change.renews)
  if (kubelet) await refuseStaticPods(kubelet, { pods: staticPodsOf(target), changed, context })
  const replaced = changed.includes(kubelet?.binary?.subject ?? KUBELET_BINARY)
  if (kubelet && replaced) await keepBinary(kubelet, context)
  for (const { change } of plan.steps) await change.stage(context)
  if (kubelet === undefined) return
  const binary = replaced ? await incoming(kubelet, context) : KUBELET_BINARY
  // A binary that comes out of the local configuration ran with it before, and is not where a staged one would be.
  const isJudged = disturbsKubelet(kubelet, plan) && !(replaced && kubelet.binary === undefined)
  const { fetchesVersion } = kubelet
  const upcomingVersion = async () => (fetchesVersion ? version : undefined) ?? (await versionOf(binary, context))
  if (isJudged) await refuseCgroupV1(kubelet, { version: upcomingVersion, ports: context.ports })
  if (isJudged) await refuseReservedBelowUse(kubelet, context.ports)
  if (fetchesVersion) return
  await allEnded([
    version === undefined ? undefined : requireVersion(version, { binary, context }),
    isJudged ? preflight(kubelet, { binary, context }) : undefined,
  ])
}

async function refuseStaticPods(
  kubelet: KubeletTarget,
  {
    pods,
    changed,
    context: { ports, upcoming },
  }: { readonly pods: readonly string[]; readonly changed: readonly string[]; readonly context: StageContext },
): Promise<void> {
  const paths = await staticPodPaths(kubelet, { files: ports.files, upcoming })
  refuseUnread(paths, pods)
  await refuseTwins(pods, { files: ports.files, upcoming })
  await refuseLostStaticPods(paths, { changed, upcoming, files: ports.files })
}

function staticPodsOf({ managed }: Target): string[] {
  return managed.claims.filter(({ kind }) => kind === STATIC_POD).map(({ key }) => key)
}

/** A package that is there in its version, and that is only held from now on, brings none. */
async function incoming({ binary }: KubeletTarget, { ports }: StageContext): Promise<string> {
  if (binary === undefined) return KUBELET_BINARY
  const isThere = binary.artifact !== undefined || (await ports.files.stat(binary.staged)) !== undefined
  return isThere ? binary.staged : KUBELET_BINARY
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
  const found = await versionOf(binary, context)
  if (sameVersion(found, wanted)) return
  throw new AgentError(
    `bring kubelet ${wanted} onto the host: "${binary}" is ${found}; name a release with a binary or a package of that version in the host document`,
    { kind: 'validate', reason: 'VersionNotAvailable' },
  )
}

function disturbsKubelet(kubelet: KubeletTarget, plan: Plan): boolean {
  const subjects = kubelet.resources.map(({ subject }) => subject)
  return plan.steps.some(({ change }) => change.renews.some((subject) => subjects.includes(subject)))
}

async function versionOf(binary: string, { ports }: StageContext): Promise<string> {
  return ports.kubelet.version(binary).catch((cause: unknown) => {
    throw asAgentError(cause, { kind: 'validate', reason: 'KubeletNotRunnable' })
  })
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
