import type { runProgram } from './run-program.ts'

const NETWORKD = 'systemd-networkd.service'
/** Milliseconds. */
const LONGEST = 10_000
/** Networkd has no file for it, or it goes away. */
const NOT_MANAGED = ['unmanaged', 'linger']

/**
 * Has networkd configure its links again, where it was restarted. Seen with systemd 252: neither a restart nor `networkctl reload` takes a route
 * away that the files no longer have, and `networkctl reconfigure` does.
 */
export async function configureLinks(units: readonly string[], run: typeof runProgram): Promise<void> {
  if (!units.includes(NETWORKD)) return
  const networkctl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run('networkctl', args, { timeout: LONGEST })
    if (code !== 0) throw new Error(`networkctl ${args.join(' ')}: exit ${code}: ${stderr.trim()}`)
    return stdout
  }
  const links = managedLinks(await networkctl('list', '--no-legend', '--no-pager'))
  if (links.length > 0) await networkctl('reconfigure', ...links)
}

/** Pure. @param output a line for each link: IDX LINK TYPE OPERATIONAL SETUP. @returns their numbers: a name may look like an option */
export function managedLinks(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    const [, number, setup] = /^\W*(\d+)\s+\S+\s+\S+\s+\S+\s+(\S+)\s*$/.exec(line) ?? []
    return number === undefined || NOT_MANAGED.includes(setup ?? '') ? [] : [number]
  })
}
