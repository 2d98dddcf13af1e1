import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Order } from '../../../../src/agent/adapters/services/service-call.ts'

/** A part of a machine's files, as service managers leave them; `-> TARGET` is a link. */
export function hostTree(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'nodewave-services-'))
  const put = (path: string, text: string): void => {
    const place = join(root, path)
    mkdirSync(dirname(place), { recursive: true })
    rmSync(place, { force: true })
    if (text.startsWith('-> ')) symlinkSync(join(root, text.slice(3)), place)
    else writeFileSync(place, text)
  }
  put('/proc/uptime', '1000.00 900.00\n')
  for (const [path, text] of Object.entries(files)) put(path, text)
  return {
    root,
    put,
    remove: (path: string) => rmSync(join(root, path)),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  }
}

/** As /proc has it of a process that was started so many seconds after the boot. */
export function processStat(pid: number, { startedAt = 400, state = 'S' } = {}): string {
  return `${pid} (tiny d) ${state} 1 ${'0 '.repeat(17)}${startedAt * 100} 0 0`
}

/** Programs that do what they are asked to, and what was asked. */
export function orders(answer: (command: string) => number = () => 0) {
  const asked: string[] = []
  const run: Order = async (program, args) => {
    const command = [program, ...args].join(' ')
    asked.push(command)
    return { code: answer(command), timedOut: false }
  }
  return { asked, run }
}
