/** `npm run soak`: any number of stories, or one story again, to the end or only its first events. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Option } from 'commander'
import { commandLine, numberOption } from '../command-line.ts'
import { SITUATION_NAMES } from './fast/situations.ts'
import { KINDS } from './kinds.ts'
import { describe, type Kind } from './tell-stories.ts'

/** Handed to a worker at a time. */
const BATCH = 50
/** Of later ones only how to tell them again is shown. */
const MOST_FAILURES_SHOWN = 5

interface Options {
  readonly kind: string
  readonly seeds: number
  readonly start: number
  readonly workers: number
  readonly seed?: number
  readonly steps?: number
}

const options = commandLine(
  'soak',
  'Whole fleets in virtual time: any number of stories, or one again.',
  '--kind full --seeds 500',
)
  .addOption(new Option('--kind <name>', 'what the stories are about').choices(KINDS.map(({ name }) => name)).default('fast'))
  .addOption(numberOption('--seeds <count>', 'how many stories').default(10_000))
  .addOption(numberOption('--start <seed>', 'the first seed', 15).default(0))
  .addOption(numberOption('--workers <count>', 'threads').default(availableParallelism()))
  .addOption(numberOption('--seed <seed>', 'one story again', 15))
  .addOption(numberOption('--steps <count>', 'of that story: its first events, then the end'))
  .parse()
  .opts<Options>()
const kind = KINDS.find(({ name }) => name === options.kind)
if (kind) process.exitCode = options.seed === undefined ? await soak(kind, options) : await replay(kind, options.seed)

async function replay(told: Kind, seed: number): Promise<number> {
  const { steps = told.steps } = options
  const end = await told.tell(seed, steps)
  console.log(
    end.ok ? `seed ${seed}: it holds` : describe(end, `npm run soak -- --kind ${told.name} --seed ${seed} --steps ${steps}`),
  )
  return end.ok ? 0 : 1
}

async function soak({ name }: Kind, { start, seeds, workers }: Options): Promise<number> {
  const failures: string[] = []
  const reached = new Map<string, number>()
  const began = performance.now()
  let [next, told] = [start, 0]
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./soak-worker.ts', import.meta.url), {
      workerData: name,
      // Stories make much garbage, and none of it lasts.
      resourceLimits: { maxYoungGenerationSizeMb: 96 },
    })
    while (next < start + seeds) {
      const batch = { start: next, end: Math.min(next + BATCH, start + seeds) }
      next = batch.end
      const answer = await ask(worker, batch)
      for (const [situation, stories] of answer.reached) reached.set(situation, (reached.get(situation) ?? 0) + stories)
      for (const failure of answer.failures)
        console.log(`\n${failures.push(failure) <= MOST_FAILURES_SHOWN ? failure : lastLine(failure)}\n`)
      told += batch.end - batch.start
      process.stderr.write(`\r${told} of ${seeds} ${name} stories, ${failures.length} failures`)
    }
    await worker.terminate()
  }
  await Promise.all(Array.from({ length: workers }, work))
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage()
  process.stderr.write('\n')
  console.log(
    `${seeds} ${name} stories from seed ${start} in ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of CPU): ${seeds - failures.length} hold, ${failures.length} fail`,
  )
  if (reached.size > 0) console.log(describeSituations(reached))
  return failures.length > 0 ? 1 : 0
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

interface Answer {
  readonly failures: readonly string[]
  /** How many stories came to each situation. */
  readonly reached: ReadonlyMap<string, number>
}

/** Zero shows what these stories cannot have found. */
function describeSituations(reached: ReadonlyMap<string, number>): string {
  return [
    'stories that reached:',
    ...SITUATION_NAMES.map((name) => `${String(reached.get(name) ?? 0).padStart(8)}  ${name}`),
  ].join('\n')
}

function ask(worker: Worker, batch: { readonly start: number; readonly end: number }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners()
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.postMessage(batch)
  })
}
