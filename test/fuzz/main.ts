/** `npm run fuzz`: gives parsers of foreign input mutations of a corpus. A crash, a hang, or memory that grows ends it with the seed and the input. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Argument } from 'commander'
import { commandLine, numberOption } from '../command-line.ts'
import type { Finding } from './campaign.ts'
import { corpusOf, runSeeds } from './campaign.ts'
import { inputFor } from './mutate.ts'

/** Milliseconds of CPU without a sign of the worker, and how often to look. */
const HANG = 60_000
const LOOK = 1000
/** MiB of a worker's heap: what its inputs leave behind may not add up. */
const HEAP = 256

interface Options {
  readonly minutes: number
  readonly seed?: number
}

const command = commandLine('fuzz', 'Mutations of a small corpus for the parsers of foreign input.', 'packs --minutes 2')
  .addArgument(new Argument('<name>', 'the corpus').choices(readdirSync(join(import.meta.dirname, 'corpus')).sort()))
  .addOption(numberOption('--minutes <count>', 'until then').default(10))
  .addOption(numberOption('--seed <seed>', 'one input again'))
  .parse()
const { minutes, seed } = command.opts<Options>()
const [name = ''] = command.args

process.exitCode = seed === undefined ? await campaign(minutes * 60_000) : await single(seed)

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
