import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mkdtemp, rm, writeFile } from '../../kube/file-calls.ts'
import { reasonIn, unquoted } from '../kubelet/kubelet-words.ts'
import type { KubeletProbe, PreflightSubject, PreflightVerdict } from '../ports.ts'
import { connects, healthz, showsCertificate } from './probes.ts'
import { type Outcome, runProgram } from './run-program.ts'

/** The kubelet's last word before it would touch the host: flags and configuration were all accepted. */
const ACCEPTED = 'validate CRI v1 runtime API for endpoint'
/** With these it would act on the cluster, or wait for a lock, instead of judging. */
const LEFT_OUT = [
  'config',
  'kubeconfig',
  'bootstrap-kubeconfig',
  'lock-file',
  'exit-on-lock-contention',
  'root-dir',
  'cert-dir',
  'container-runtime-endpoint',
]
/** Of a cluster that is not there: a kubelet with none at all refuses webhook authentication, which every kubeadm node has. */
const NOWHERE = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'nobody', user: {} }],
  contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'nobody' } }],
  'current-context': 'nowhere',
})

/** The kubelet as a program of this host. `place` turns a path as the host sees it into one that can be run from here. */
export function kubeletProgram({ place = (path: string) => path, run = runProgram } = {}): KubeletProbe {
  return {
    version: (binary) => versionOf(place(binary), run),
    preflight: ({ binary, args, config }) =>
      preflight({ binary: place(binary), args, ...(config === undefined ? {} : { config: place(config) }) }, { run }),
    healthz: (url) => healthz(url),
    runtime: (endpoint) => connects(place(endpoint.replace(/^unix:\/\//, ''))),
    serves: showsCertificate,
  }
}

async function versionOf(binary: string, run: typeof runProgram): Promise<string> {
  const { code, stdout, stderr } = await run(binary, ['--version'], { timeout: 20_000 })
  const version = /^Kubernetes (v\S+)/.exec(stdout)?.[1]
  if (code !== 0 || version === undefined)
    throw new Error(`"${binary} --version": exit ${code}: ${(stderr || stdout).trim().slice(0, 300)}`)
  return version
}

/**
 * Lets a kubelet judge flags and configuration without starting it: it parses and validates both, then connects to the container
 * runtime, and only after that touches the host. A runtime socket that is not there ends it at that point, within 80 ms.
 */
export async function preflight(
  subject: PreflightSubject,
  { run = runProgram, uid = process.getuid?.() } = {},
): Promise<PreflightVerdict> {
  const scratch = await mkdtemp(join(tmpdir(), 'nodewave-preflight-'))
  try {
    await writeFile(kubeconfigIn(scratch), NOWHERE)
    const isolation = ['--net', '--mount', '--pid', '--fork', '--kill-child', ...(uid === 0 ? [] : ['--map-root-user'])]
    const args = [...isolation, '--', subject.binary, ...preflightArgs(subject, scratch)]
    return judgePreflight(await run('unshare', args, { timeout: 30_000 }))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The kubelet lets the last of a flag win, so the harmless values stand at the end. */
export function preflightArgs({ args, config }: PreflightSubject, scratch: string): string[] {
  const kept: string[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    // The kubelet takes `_` for `-`.
    const name = /^--([^=]+)/.exec(arg)?.[1]?.replaceAll('_', '-')
    if (name === undefined || !LEFT_OUT.includes(name)) kept.push(arg)
    else if (!arg.includes('=') && name !== 'exit-on-lock-contention') index++ // `--flag value`: the value goes with it
  }
  const harmless = [
    `--kubeconfig=${kubeconfigIn(scratch)}`,
    `--container-runtime-endpoint=unix://${scratch}/none.sock`,
    `--root-dir=${scratch}`,
    `--cert-dir=${scratch}`,
  ]
  return [...kept, ...(config === undefined ? [] : [`--config=${config}`]), ...harmless]
}

function kubeconfigIn(scratch: string): string {
  return `${scratch}/kubeconfig`
}

export function judgePreflight({ code, stdout, stderr, timedOut }: Outcome): PreflightVerdict {
  const lines = `${stderr}\n${stdout}`.split('\n')
  if (lines.some((line) => line.includes(ACCEPTED)))
    return { ok: true, warnings: lines.filter((line) => line.includes('strict decoding error')).map(unquoted) }
  if (timedOut) return { ok: false, message: 'kubelet gave no verdict on its flags and configuration within 30 s' }
  return { ok: false, message: reasonIn(lines) ?? `kubelet exited with ${code} before it judged its configuration` }
}
