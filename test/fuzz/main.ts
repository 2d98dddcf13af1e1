/**
 * `npm run fuzz -- NAME [--minutes 10] [--seed N]`: gives the parsers of NAME inputs made from test/fuzz/corpus/NAME, until the time is over.
 * A crash, a hang, or memory that grows ends it with the seed and the input. `--seed N` runs that seed alone.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Finding } from './campaign.ts'
import { corpusOf, runSeeds } from './campaign.ts'
import { inputFor } from './mutate.ts'

/** Milliseconds of CPU without a sign of the worker, and how often to look. */
const HANG = 60_000
const LOOK = 1000
/** MiB of a worker's heap: what its inputs leave behind may not add up. */
const HEAP = 256

const options = { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [name = ''] = positionals

process.exitCode = values.seed === undefined ? await campaign(Number(values.minutes) * 60_000) : await single(Number(values.seed))

async function single(seed: number): Promise<number> {
  const found = await runSeeds(name, { from: seed, to: seed + 1 })
  console.log(found ? shown(found) : `${name}: seed ${seed} passes`)
  return found ? 1 : 0
}

async function campaign(time: number): Promise<number> {
  const first = Date.now() % 1_000_000_000
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { name, first, time },
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  })
  let last = first
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const hang = `no sign for ${HANG / 1000} s of CPU, in this seed or the next hundred`
  let seen = process.cpuUsage()
  const clock = setInterval(() => {
    const { user, system } = process.cpuUsage(seen)
    if ((user + system) / 1000 > HANG) resolve(shown({ seed: last, input: inputFor(last, corpusOf(name)), problem: hang }))
  }, LOOK)
  worker.on('message', (message: { readonly at: number } | Finding) => {
    if (!('at' in message)) return resolve(shown({ ...message, input: Buffer.from(message.input) }))
    last = message.at
    seen = process.cpuUsage()
  })
  worker.on('error', (error: Error) => resolve(`${name}: from seed ${last} on: ${error.message}`))
  worker.on('exit', () => resolve(undefined))
  const problem = await promise
  clearInterval(clock)
  await worker.terminate()
  console.log(problem ?? `${name}: ${last - first} inputs, seeds ${first} to ${last}: no crash, no hang, no growth`)
  return problem === undefined ? 0 : 1
}

function shown({ seed, input, problem }: Finding): string {
  return `${name}: seed ${seed}: ${problem}\ninput, base64: ${input.toString('base64')}\nagain: npm run fuzz -- ${name} --seed ${seed}`
}
