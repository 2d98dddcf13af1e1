import { contestedSettings, parseWrittenSettings } from '../../protocol/node-settings.ts'
import type { ClusterNode } from '../cache/cluster-node.ts'
import type { ObjectEvent } from './event-recorder.ts'
import { nodeObject, warning } from './object-events.ts'

const NO_EVENTS: readonly ObjectEvent[] = []

/** Of one Node, for as long as it is so. */
export function eventsOfNode(node: ClusterNode): readonly ObjectEvent[] {
  const [failure, fought] = [agentFailure(node), foughtSettings(node)]
  return failure.length + fought.length === 0 ? NO_EVENTS : [...failure, ...fought]
}

/** What an agent could not do, on its Node: a rollback may already have moved the pool on. */
function agentFailure({ name, view: { status } }: ClusterNode): readonly ObjectEvent[] {
  if (status?.phase !== 'RolledBack' && status?.phase !== 'Failed') return NO_EVENTS
  return warning(nodeObject(name), { reason: status.error?.reason ?? status.phase, message: status.error?.message })
}

function foughtSettings({ name, settings }: ClusterNode): readonly ObjectEvent[] {
  if (settings?.written === undefined) return NO_EVENTS
  const fought = contestedSettings(parseWrittenSettings(settings.written)).join(', ')
  if (fought === '') return NO_EVENTS
  const message = `others change what Git has each time that it is written again: ${fought}. Remove it there or in Git`
  return warning(nodeObject(name), { reason: 'SettingsContested', message })
}
