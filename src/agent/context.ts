import { HostTurns } from './loop/host-turns.ts'
import type { AgentOptions } from './options.ts'
import { statePaths } from './paths.ts'
import type { AgentPorts } from './ports.ts'
import { Kinds } from './resources/kinds.ts'
import { AgentState } from './state/state.ts'
import { Journal } from './transaction/journal.ts'
import { shareDownloads } from './transaction/shared-downloads.ts'

/** What every part of the agent works with. */
export interface AgentContext {
  readonly ports: AgentPorts
  readonly options: AgentOptions
  readonly state: AgentState
  readonly journal: Journal
  readonly kinds: Kinds
  readonly turns: HostTurns
}

export function createContext(given: AgentPorts, options: AgentOptions, kinds = new Kinds()): AgentContext {
  const ports = { ...given, downloads: shareDownloads(given.downloads) }
  const paths = statePaths(options.stateDirectory)
  const [state, journal] = [new AgentState(paths, ports.files), new Journal(paths.journal, ports.files)]
  return { ports, options, state, journal, kinds, turns: new HostTurns() }
}

/** RFC 3339, as it stands in the status. */
export function stamp({ clock }: Pick<AgentPorts, 'clock'>): string {
  return new Date(clock.now()).toISOString()
}
