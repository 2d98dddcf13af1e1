import fs from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import git from 'isomorphic-git'
import { onTestFinished } from 'vitest'
import type { CliIo } from '../../src/cli/cli-io.ts'
import { runProgram } from '../../src/cli/program.ts'

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** When commands run, unless a test says otherwise. */
const NOW = Date.parse('2026-11-21T22:00:00Z')

/** Runs `nodewave` with these arguments, without a process. */
export async function runCli(cwd: string, args: readonly string[], overrides: Partial<CliIo> = {}): Promise<Outcome> {
  const { io, outcome } = anIo(cwd, overrides)
  await runProgram(args, io)
  return outcome()
}

/** What a command sees in place of a process, and what came of it. */
export function anIo(cwd: string, overrides: Partial<CliIo> = {}): { readonly io: CliIo; readonly outcome: () => Outcome } {
  let [stdout, stderr, code] = ['', '', 0]
  const io: CliIo = {
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    exit: (given) => {
      code = given
    },
    ...{ cwd, env: { HOME: cwd }, isTTY: false, showsProgress: false, color: false, columns: 80, rows: 24, now: () => NOW },
    ...overrides,
  }
  return { io, outcome: () => ({ stdout, stderr, code }) }
}

/** A folder with these files, gone when the test is. */
export async function aFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-cli-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFiles(folder, files)
  return folder
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** Everything in the folder as a commit on `main`. */
export async function commitAll(folder: string): Promise<void> {
  await git.init({ fs, dir: folder, defaultBranch: 'main' })
  await git.add({ fs, dir: folder, filepath: '.' })
  await git.commit({ fs, dir: folder, message: 'change', author: { name: 'test', email: 'test@example.com', timestamp: 0 } })
}

const HEAD = 'apiVersion: nodewave.io/v1alpha1\nkind:'

/** A small fleet of two pools, valid. */
export const FLEET = {
  'fleet.yaml': `${HEAD} Fleet\nmetadata: {name: fleet}\nspec: {}\n`,
  'pools/workers.yaml': `${HEAD} NodePool
metadata: {name: workers}
spec:
  nodeSelector: {matchLabels: {role: worker}}
  kubelet:
    version: "1.35.4"
    layout: env
    flagSets: [baseline]
    config: [base]
  rollout:
    waves: [{name: canary, nodes: 1, soak: 10m}, {name: rest, nodes: 100%}]
`,
  'pools/gpu.yaml': `${HEAD} NodePool\nmetadata: {name: gpu}\nspec:\n  nodeSelector: {matchLabels: {role: gpu}}\n`,
  'baseline.yaml': `${HEAD} FlagSet\nmetadata: {name: baseline}\nspec:\n  flags: {v: 2, node-ip: "{{ node.internalIP }}"}\n`,
  'base.yaml': `${HEAD} KubeletConfig\nmetadata: {name: base}\nspec:\n  config:\n    maxPods: 110\n`,
  'override.yaml': `${HEAD} NodeOverride\nmetadata: {name: w-1}\nspec:\n  node: w-1\n  config: {maxPods: 20}\n`,
}

export const NODES = JSON.stringify({
  kind: 'NodeList',
  items: ['w-0', 'w-1', 'gpu-0'].map((name, index) => ({
    metadata: { name, labels: { role: name.startsWith('w') ? 'worker' : 'gpu' } },
    status: {
      nodeInfo: { architecture: 'amd64', osImage: 'Debian', kubeletVersion: 'v1.35.4' },
      addresses: [
        { type: 'Hostname', address: name },
        { type: 'InternalIP', address: `10.0.0.${index}` },
      ],
    },
  })),
})
