/**
 * `node bench/agent-observe.ts`: how long the agent looks at 60 resources of many kinds that are as they should be, with the flags of node that its
 * unit has. Medians of 30 looks in one process. The host is below a temporary directory; nothing of this machine is touched.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { nodeFlags } from './support/agent-machine.ts'
import { median, print, readOptions } from './support/report.ts'

const options = readOptions()
const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
const outfile = join(folder, 'observe.mjs')
await build({
  entryPoints: [join(import.meta.dirname, 'support/observe-host.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: 'const require = process.getBuiltinModule("module").createRequire(import.meta.url)' },
  logLevel: 'warning',
})
const printed = execFileSync(process.execPath, [...nodeFlags, outfile], { encoding: 'utf8' })
const { resources, times }: { resources: number; times: number[] } = JSON.parse(printed)
await rm(folder, { recursive: true })
print(
  [
    {
      name: `agent: look at ${resources} resources, unchanged`,
      value: median(times.filter((_, index) => index % 2 === 0)),
      unit: 'ms',
      aim: 50,
    },
    { name: 'agent: the same, CPU', value: median(times.filter((_, index) => index % 2 === 1)), unit: 'ms' },
  ],
  options,
)
