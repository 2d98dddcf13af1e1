/** One core's part of a soak: gets ranges of seeds, answers with the stories that fail, ready to be read. */
import { parentPort, workerData } from 'node:worker_threads'
import { KINDS } from './kinds.ts'
import { failureOf } from './tell-stories.ts'

const kind = KINDS.find(({ name }) => name === workerData)
if (!kind || !parentPort) throw new Error('a soak worker is started by soak.ts')
const port = parentPort

port.on('message', async ({ start, end }: { readonly start: number; readonly end: number }) => {
  const failures: string[] = []
  const reached = new Map<string, number>()
  const count = (situation: string): void => void reached.set(situation, (reached.get(situation) ?? 0) + 1)
  for (let seed = start; seed < end; seed++) {
    const failure = await failureOf(kind, seed, count)
    if (failure !== undefined) failures.push(failure)
  }
  port.postMessage({ failures, reached })
})
