import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sameVersion } from '../../agent/kubelet/versions.ts'
import type { KubeletProbe, PreflightVerdict } from '../../agent/ports.ts'
import { type KubeletSample, kubeletSample } from '../../render/kubelet-sample.ts'
import type { Doc, FleetModel } from '../../repo/model.ts'
import type { Problem } from '../../repo/problem.ts'
import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'
import { blame } from './blame.ts'

/** What the kubelet that a pool names says of the flags and the configuration that the pool gives it. */
export interface KubeletVerdict {
  readonly pool: string
  /** `not judged`: none of the kubelets at hand is the pool's version. */
  readonly verdict: 'accepted' | 'refused' | 'not judged'
  /** For people: which kubelet, or why none; and what it could not see. */
  readonly remark: string
  /** An error for a refusal, a warning for what it takes and does not understand. */
  readonly problems: readonly Problem[]
}

export type Judge = Pick<KubeletProbe, 'version' | 'preflight'>

interface Kubelet {
  readonly binary: string
  readonly version: string
}

/**
 * Every pool in the order of the model, judged by the kubelet of its version.
 * @param binaries paths of kubelets that run on this machine
 * @throws when one of them cannot be run
 */
export async function askKubelets(
  model: FleetModel,
  { binaries, judge }: { readonly binaries: readonly string[]; readonly judge: Judge },
): Promise<KubeletVerdict[]> {
  const kubelets: Kubelet[] = []
  for (const binary of binaries) kubelets.push({ binary, version: await versionOf(binary, judge) })
  const verdicts: KubeletVerdict[] = []
  for (const pool of model.pools.values()) verdicts.push(await askFor(pool, { model, kubelets, judge }))
  return verdicts
}

async function versionOf(binary: string, judge: Judge): Promise<string> {
  try {
    return (await judge.version(binary)).replace(/^v/, '')
  } catch (cause) {
    const [said] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    throw new Error(`failed to run "${binary}" to read its version: ${said}`, { cause })
  }
}

interface Bench {
  readonly model: FleetModel
  readonly kubelets: readonly Kubelet[]
  readonly judge: Judge
}

async function askFor(pool: Doc<NodePoolSpec>, { model, kubelets, judge }: Bench): Promise<KubeletVerdict> {
  const wanted = pool.spec.kubelet?.version
  const kubelet = wanted === undefined ? undefined : kubelets.find(({ version }) => sameVersion(version, wanted))
  if (kubelet === undefined)
    return { pool: pool.name, verdict: 'not judged', remark: notJudged(pool.name, wanted, kubelets), problems: [] }
  const sample = kubeletSample(model, pool)
  const verdict = await preflight(sample, { judge, binary: kubelet.binary })
  const name = `kubelet ${wanted}`
  return {
    pool: pool.name,
    verdict: verdict.ok ? 'accepted' : 'refused',
    remark: `${name} ${verdict.ok ? 'accepts' : 'refuses'} pool "${pool.name}"${reservation(sample)}`,
    problems: problemsIn(verdict, name, (severity, message, said) => blame({ severity, message, said, pool, sample })),
  }
}

function problemsIn(
  verdict: PreflightVerdict,
  kubelet: string,
  make: (severity: Problem['severity'], message: string, said: string) => Problem,
): Problem[] {
  if (!verdict.ok) return [make('error', `${kubelet} refuses: ${verdict.message}`, verdict.message)]
  return verdict.warnings.map((warning) => make('warning', `${kubelet} accepts it, but warns: ${warning}`, warning))
}

async function preflight(
  { args, config }: KubeletSample,
  { judge, binary }: { readonly judge: Judge; readonly binary: string },
): Promise<PreflightVerdict> {
  if (config === undefined) return judge.preflight({ binary, args })
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-validate-'))
  try {
    const path = join(folder, 'kubelet.yaml')
    await writeFile(path, config, { mode: 0o600 })
    return await judge.preflight({ binary, args, config: path })
  } finally {
    await rm(folder, { recursive: true })
  }
}

function notJudged(pool: string, wanted: string | undefined, kubelets: readonly Kubelet[]): string {
  if (wanted === undefined) return `pool "${pool}" is not judged: it names no kubelet version`
  return `pool "${pool}" is not judged: it wants kubelet ${wanted}, and the given kubelets are ${kubelets.map(({ version }) => version).join(', ')}`
}

function reservation({ config, configMode }: KubeletSample): string {
  if (config === undefined || configMode === 'full') return ''
  return " (only the fields from Git: on a node they are merged over the node's own file)"
}
