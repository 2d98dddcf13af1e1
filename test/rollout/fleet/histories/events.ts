import type { NodeView } from '../../../../src/rollout/model/node-view.ts'
import { NO_MEMORY } from '../../../../src/rollout/model/snapshot.ts'
import { hour, minute, stamp } from '../../builders/instants.ts'
import { aNode, NodeDraft } from '../../builders/nodes.ts'
import { booted, ready } from './node-edits.ts'
import type { SimNode, World } from './world.ts'

export function happensToPool(world: World, name: string, what: string): void {
  const controls = world.controls.get(name) ?? {}
  const record = world.records.get(name)
  if (what === 'rollback') world.controls.set(name, { ...controls, rollback: '' })
  if (what === 'resume') {
    const { rollback: _, paused: __, ...rest } = controls
    world.controls.set(name, rest)
  }
  if (what === 'pause') world.controls.set(name, { ...controls, paused: '' })
  if (what === 'promote') world.controls.set(name, { ...controls, promoted: world.head.revision })
  if (what === 'retry') {
    world.controls.set(name, { ...controls, retry: world.head.revision })
    const content = world.head.contents.get(name)
    if (content) record?.rejected.delete(content)
  }
  if (what === 'status lost' && record) {
    const { rejected } = world.statuses.get(name) ?? NO_MEMORY
    world.statuses.set(name, { ...NO_MEMORY, rejected })
    record.completed = []
    record.left = new Set()
  }
}

export function happensToFleet(world: World, what: string): void {
  if (what === 'clock ahead') world.now += 25 * minute
  if (what === 'clock back') world.now -= 12 * minute
  if (what.startsWith('clock')) world.steadySince = world.now
  if (what === 'restart') {
    world.watchedSince = world.now
    world.listedAt = world.now
    world.steadySince = undefined
    world.answers.clear()
  }
  if (what === 'fleet pause') world.fleetControls = { ...world.fleetControls, paused: 'x' }
  if (what === 'fleet resume') {
    const { paused: _, ...rest } = world.fleetControls
    world.fleetControls = rest
  }
  if (what === 'fleet retry') world.fleetControls = { ...world.fleetControls, retry: world.head.revision }
  if (what === 'gates fail') world.areGatesGood = false
  if (what === 'gates pass') world.areGatesGood = true
  if (what === 'an hour') world.now += hour
}

export function changed(world: World, node: SimNode, what: string): SimNode {
  const { view } = node
  if (what === 'goes down') return { ...node, isDown: true, view: ready(view, false, world.now) }
  if (what === 'comes back') return booted(world, { ...node, isDown: false })
  if (what === 'is replaced')
    return {
      ...node,
      isDown: false,
      isRuined: false,
      isSilent: false,
      hasPods: false,
      view: new NodeDraft({
        ...aNode(view.name)
          .withUid(`uid-${world.uids++}`)
          .createdAtInstant(world.now)
          .readyAgain(world.now)
          .booted(`boot-${world.uids++}`)
          .withPause(),
        labels: view.labels,
      } as NodeView),
    }
  if (what === 'moves on') {
    const index = world.names.indexOf(node.pool ?? '')
    return { ...node, pool: world.names[(index + 1) % world.names.length] }
  }
  if (what === 'leaves all pools') return { ...node, pool: undefined }
  if (what === 'is held') return { ...node, view: view.held() }
  if (what === 'is released') return { ...node, view: view.released() }
  if (what === 'falls silent') return { ...node, isSilent: true }
  if (what === 'speaks again') return { ...node, isSilent: false }
  if (what === 'is cordoned') return { ...node, view: view.cordoned() }
  if (what === 'keeps its pods') return { ...node, keepsPods: !node.keepsPods }
  if (what === 'is labelled') return { ...node, view: view.labelled('tier' in view.labels ? {} : { tier: 'test' }) }
  if (what === 'is to reboot') return { ...node, view: view.toReboot(view.bootId ?? '', { at: stamp(world.now) }) }
  if (what === 'is uncordoned') return { ...node, hasPods: true, view: view.uncordoned() }
  return node
}
