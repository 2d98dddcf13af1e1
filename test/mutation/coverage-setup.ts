/**
 * Runs before each test file of a clean run: notes which functions its tests call. It counts whole functions: V8's finer counts hide
 * an operator whose right side never ran.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { FunctionCalls } from './coverage.ts'

interface Profiler {
  readonly session: Session
  /** Vitest runs a module inside a function, whose head comes before the module's code. */
  readonly head: number
}

const folder = process.env.NODEWAVE_MUTATION_COVERAGE
if (folder) {
  const profiler = await sharedProfiler()
  await profiler.session.post('Profiler.takePreciseCoverage')
  afterAll(async () => {
    const path = join(folder, `${(expect.getState().testPath ?? '').slice(process.cwd().length + 1)}.json`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(await callsIn(profiler)))
  })
}

/** One for all files of a worker, as they share its modules. */
async function sharedProfiler(): Promise<Profiler> {
  const shared = globalThis as { nodewaveProfiler?: Profiler }
  if (shared.nodewaveProfiler) return shared.nodewaveProfiler
  const session = new Session()
  session.connect()
  const head = await headOfModules(session)
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  shared.nodewaveProfiler = { session, head }
  return shared.nodewaveProfiler
}

async function headOfModules(session: Session): Promise<number> {
  const ids: string[] = []
  session.on('Debugger.scriptParsed', ({ params }) => {
    if (params.url.endsWith('/mutation/coverage-setup.ts')) ids.push(params.scriptId)
  })
  await session.post('Debugger.enable')
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId: ids[0] ?? '' })
  await session.post('Debugger.disable')
  return scriptSource.indexOf('{{') + '{{'.length
}

async function callsIn({ session, head }: Profiler): Promise<Readonly<Record<string, readonly FunctionCalls[]>>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const root = `${process.cwd()}/`
  const files = result.filter(({ url }) => url.includes(`${root}src/`))
  return Object.fromEntries(
    files.map(({ url, functions }) => [
      url.slice(url.indexOf(root) + root.length),
      functions.flatMap(({ ranges }) =>
        ranges.map((range): FunctionCalls => [range.startOffset - head, range.endOffset - head, range.count]),
      ),
    ]),
  )
}
