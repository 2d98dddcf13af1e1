/**
 * `node bench/simulate.ts [--nodes N]`: what a simulated rollout of a new minor version over the workers of the example costs, 10% at a
 * time; 15,000 nodes unless told otherwise. CPU and memory are those of a process that runs the built package, as users do; building it
 * and reading the repository do not count.
 */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { DAY } from '../src/cli/simulate/options.ts'
import { DEFAULT_TIMES } from '../src/simulate/agent-times.ts'
import type { SimulationInput } from '../src/simulate/simulate-fleet.ts'
import { exampleCommit } from './support/example-fleet.ts'
import { aWorker, STARTS_AT, upgraded } from './support/example-workers.ts'
import { print, readOptions } from './support/report.ts'

const root = join(import.meta.dirname, '..')
const options = readOptions()
const count = options.nodes ?? 15_000
const input: SimulationInput = {
  from: exampleCommit(0),
  to: upgraded(exampleCommit(0)),
  nodes: Array.from({ length: count }, (_, index) => aWorker(index)),
  pods: [],
  ...{ startsAt: STARTS_AT, within: DAY, times: DEFAULT_TIMES, serverVersions: ['1.36.3'], fails: new Set<string>() },
}

const folder = mkdtempSync(join(tmpdir(), 'nodewave-simulate-'))
try {
  build(folder)
  writeFileSync(join(folder, 'input'), serialize(input))
  const started = performance.now()
  const { cpu, peak } = run(join(folder, 'dist'), join(folder, 'input'))
  print(
    [
      { name: `simulate ${count} nodes: CPU`, value: cpu, unit: 's', aim: 5 },
      { name: 'elapsed', value: (performance.now() - started) / 1000, unit: 's' },
      { name: 'resident, at most', value: peak, unit: 'MB', aim: 500 },
    ],
    options,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The JavaScript of the package, beside what it depends on. */
function build(into: string): void {
  cpSync(join(root, 'package.json'), join(into, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'))
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', join(into, 'dist')], { cwd: root, stdio: 'inherit' })
}

function run(dist: string, file: string): { readonly cpu: number; readonly peak: number } {
  const once = join(import.meta.dirname, 'support/simulate-once.js')
  return JSON.parse(execFileSync(process.execPath, [once, dist, file], { encoding: 'utf8' }))
}
