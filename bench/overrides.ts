/**
 * `node bench/overrides.ts [--nodes N]`: a fleet with an override for each node: the first load, another load, the plan of a commit, and
 * all of `nodewave plan`, with two commits read from Git and the estimate of the rollout.
 */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processIo } from '../src/cli/cli-io.ts'
import { runProgram } from '../src/cli/program.ts'
import type { RepoFile } from '../src/protocol/repo-snapshot.ts'
import { capacityOf } from '../src/render/node-capacity.ts'
import { planFleet } from '../src/render/plan-fleet.ts'
import { createLoader } from '../src/repo/load-fleet.ts'
import type { FleetModel } from '../src/repo/model.ts'
import { importCommits, type Written } from './support/git-import.ts'
import { print, readOptions } from './support/report.ts'

const options = readOptions()
const count = options.nodes ?? 15_000
const HEAD = 'apiVersion: nodewave.io/v1alpha1\n'

function file(text: string): RepoFile {
  return { kind: 'file', bytes: new TextEncoder().encode(text), blobId: text }
}

/** @param maxPods of the pool's configuration, and of every second override */
function repository(maxPods: number): ReadonlyMap<string, RepoFile> {
  const files = new Map<string, RepoFile>()
  files.set('fleet.yaml', file(`${HEAD}kind: Fleet\nmetadata: {name: fleet}\nspec: {mapFlags: Merge}\n`))
  files.set(
    'pool.yaml',
    file(
      `${HEAD}kind: NodePool\nmetadata: {name: workers}\nspec:\n  nodeSelector: {matchLabels: {role: worker}}\n  kubelet: {config: [base], flags: {v: 2}}\n`,
    ),
  )
  files.set(
    'base.yaml',
    file(
      `${HEAD}kind: KubeletConfig\nmetadata: {name: base}\nspec: {config: {maxPods: ${maxPods}, serializeImagePulls: false}}\n`,
    ),
  )
  for (let n = 0; n < count; n++)
    files.set(
      `nodes/n${n}.yaml`,
      file(
        `${HEAD}kind: NodeOverride\nmetadata: {name: n${n}}\nspec:\n  node: n${n}\n  flags: {node-labels: {example.com/rack: r${n % 100}}}\n  config: {podPidsLimit: ${1000 + (n % 7)}}\n`,
      ),
    )
  return files
}

function cpuOf<T>(work: () => T): { readonly result: T; readonly ms: number } {
  const before = process.cpuUsage()
  const result = work()
  return { result, ms: cpuSince(before) }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function textsOf(files: ReadonlyMap<string, RepoFile>): Written {
  return Object.fromEntries(
    [...files].map(([path, each]) => [path, each.kind === 'file' ? Buffer.from(each.bytes).toString() : '']),
  )
}

interface WholePlan {
  readonly ms: number
  /** The line of its output. */
  readonly estimate: string
}

/** CPU of the command in this process, and what it says of the rollout. */
async function wholePlan(): Promise<WholePlan> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
  try {
    await promisify(execFile)('git', ['init', '--quiet', '--initial-branch=main', folder])
    await importCommits(join(folder, '.git'), [textsOf(repository(110)), textsOf(repository(120))])
    const status = { nodeInfo: { architecture: 'amd64', osImage: 'Linux' }, capacity: { cpu: '8', memory: '32Gi' } }
    const items = nodes.map(({ name, labels }) => ({ kind: 'Node', metadata: { name, labels }, status }))
    const file = join(folder, 'nodes.json')
    await writeFile(file, JSON.stringify({ kind: 'List', items }))
    const output: string[] = []
    const stdout = (text: string): void => void output.push(text)
    const io = { ...processIo(), stdout, exit: () => {} }
    const before = process.cpuUsage()
    await runProgram(['plan', folder, '--from', 'main~1', '--to', 'main', '--nodes', file], io)
    return { ms: cpuSince(before), estimate: /^estimate +(.*)$/m.exec(output.join(''))?.[1] ?? 'none' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const load = createLoader()
const before = cpuOf(() => load(repository(110)))
const after = cpuOf(() => load(repository(120)))
const modelOf = ({ model, problems }: ReturnType<typeof load>): FleetModel => {
  if (model === undefined) throw new Error(`load the fleet of this bench: ${problems[0]?.message}`)
  return model
}
const [from, to] = [modelOf(before.result), modelOf(after.result)]
const nodes = Array.from({ length: count }, (_, n) => ({
  name: `n${n}`,
  labels: { role: 'worker' },
  arch: 'amd64',
  osImage: 'Linux',
  ...capacityOf({ cpu: 8, memory: '32Gi' }),
}))
const plan = cpuOf(() => planFleet({ from, to, nodes }))
const whole = await wholePlan()
const touched = plan.result.pools[0]?.touched.length
print(
  [
    { name: `first load of ${count} overrides, CPU`, value: before.ms, unit: 'ms', aim: 5000 },
    { name: 'load of a commit that changes one file, CPU', value: after.ms, unit: 'ms' },
    { name: `plan of it, ${touched} nodes change, CPU`, value: plan.ms, unit: 'ms', aim: 10_000 },
    { name: `all of \`nodewave plan\`, CPU (estimate: ${whole.estimate})`, value: whole.ms, unit: 'ms', aim: 10_000 },
  ],
  options,
)
