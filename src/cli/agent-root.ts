import { statSync } from 'node:fs'
import type { AgentArguments } from './agent-arguments.ts'

/** They look at a host that is there; the agent itself, and its installation, may begin with an empty one. */
const NEEDS_HOST: readonly AgentArguments['command'][] = ['rebase', 'doctor', 'import', 'security-updates', 'uninstall']

/** @throws {Error} when nothing is there that a command could look at: every finding would be about that */
export function checkRoot({ command, root }: Pick<AgentArguments, 'command' | 'root'>): void {
  if (!NEEDS_HOST.includes(command)) return
  const found = statSync(root, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  const what = found ? 'is not a folder' : 'does not exist'
  throw new Error(
    `--root "${root}" ${what}: name the folder that has the files of a host, such as --root /host; without --root it is this machine`,
  )
}
