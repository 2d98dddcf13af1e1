/**
 * `node bench/agent-observe.ts`: how long the agent looks at 60 files that are as they should be, with the flags of node that its unit has.
 * Medians of 30 looks in one process. The files are below a temporary directory, five directories deep; nothing of this machine is touched.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { unitFlags } from './agent-machine.ts'
import { median, print, readOptions } from './support/report.ts'

const options = readOptions()
const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
const outfile = join(folder, 'observe.mjs')
await build({
  entryPoints: [join(import.meta.dirname, 'support/observe-files.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  banner: { js: 'const require = process.getBuiltinModule("module").createRequire(import.meta.url)' },
  logLevel: 'warning',
})
const times: number[] = JSON.parse(execFileSync(process.execPath, [...unitFlags, outfile], { encoding: 'utf8' }))
await rm(folder, { recursive: true })
print(
  [
    {
      name: 'agent: look at 60 files, unchanged',
      value: median(times.filter((_, index) => index % 2 === 0)),
      unit: 'ms',
      aim: 50,
    },
    { name: 'agent: the same, CPU', value: median(times.filter((_, index) => index % 2 === 1)), unit: 'ms' },
  ],
  options,
)
