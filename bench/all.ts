/** `node bench/all.ts`: every bench, one after the other, so that none slows another; -o json prints all figures as one line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Figure, print, readOptions } from './support/report.ts'

const BENCHES = [
  'commit-to-assigned',
  'render-and-decide',
  'rollout',
  'drain',
  'controller-memory',
  'simulate',
  'agent',
  'agent-observe',
]

const options = readOptions()
const figures: Figure[] = []
for (const bench of BENCHES) figures.push(...(await figuresOf(bench)))
print(figures, options)

async function figuresOf(bench: string): Promise<readonly Figure[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${bench}.ts`), '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const output = await text(child.stdout)
  const [code] = await ended
  if (code !== 0) throw new Error(`run bench/${bench}.ts: it ended with ${code}`)
  return (JSON.parse(output) as { readonly figures: readonly Figure[] }).figures
}
