/**
 * `npm run soak -- --seeds N [--start S] [--kind fast] [--workers N]`: as many stories as asked for, on all cores or so many threads.
 * `npm run soak -- --seed S [--steps N]`: one story again, to the end or only its first N events.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { SITUATION_NAMES } from './fast/situations.ts'
import { KINDS } from './kinds.ts'
import { describe, type Kind } from './tell-stories.ts'

/** Handed to a worker at a time. */
const BATCH = 50
/** Of later ones only how to tell them again is shown. */
const MOST_FAILURES_SHOWN = 5

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'fast' },
    seeds: { type: 'string', default: '10000' },
    start: { type: 'string', default: '0' },
    seed: { type: 'string' },
    steps: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})
const kind = KINDS.find(({ name }) => name === values.kind)
if (!kind) throw new Error(`read --kind "${values.kind}": it must be ${KINDS.map(({ name }) => name).join(' or ')}`)
process.exitCode = values.seed === undefined ? await soak(kind) : await replay(kind, number('seed', values.seed))

async function replay(told: Kind, seed: number): Promise<number> {
  const steps = values.steps === undefined ? told.steps : number('steps', values.steps)
  const end = await told.tell(seed, steps)
  console.log(
    end.ok ? `seed ${seed}: it holds` : describe(end, `npm run soak -- --kind ${told.name} --seed ${seed} --steps ${steps}`),
  )
  return end.ok ? 0 : 1
}

async function soak({ name }: Kind): Promise<number> {
  const [start, seeds] = [number('start', values.start), number('seeds', values.seeds)]
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
  await Promise.all(Array.from({ length: number('workers', values.workers) }, work))
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

function number(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`read --${option} "${text}": it must be a number`)
  return Number(text)
}
