import { type Content, digestFor } from './contents.ts'
import { changed } from './events.ts'
import { clean, ready } from './node-edits.ts'
import { pass, tick } from './passes.ts'
import { readyOf, told } from './told.ts'
import type { SimNode, World } from './world.ts'

/** Everybody is up, nobody keeps anything, some nodes of no pool are back in one, and a good commit comes. */
export function helped(world: World, content: Content): void {
  world.nodes = world.nodes.map((node, index) => ({
    ...node,
    isSilent: false,
    isDown: false,
    keepsPods: false,
    pool: node.pool ?? (index % 2 === 0 ? 'a' : undefined),
    view: ready(clean(node.view), !node.isRuined, world.now),
  }))
  world.areGatesGood = true
  world.fleetControls = {}
  for (const name of world.names) world.controls.set(name, {})
  world.push(content)
  for (const name of world.names) world.controls.set(name, { promoted: world.head.revision })
  pass(world, 'sound')
  for (let pass = 0; pass < 300 && !isDone(world, content); pass++) {
    tick(world)
    if (pass % 20 === 19) doesAsTold(world)
  }
  if (!isDone(world, content)) world.wrong.push(`(5) not completed after help: ${told(world)}`)
  for (let pass = 0; pass < 3; pass++) tick(world)
  const left = world.nodes.filter(({ view }) => view.unschedulable || view.mark !== undefined)
  if (left.length > 0) world.wrong.push(`(7) left cordoned: ${left.map(({ view }) => view.name)}`)
}

/** Two pools that block each other tell which one to roll back, and it follows the repository again when the other one has completed. */
function doesAsTold(world: World): void {
  for (const [name] of world.controls) world.controls.set(name, { promoted: world.head.revision })
  for (const [name, { status }] of world.decisions) {
    const { reason, message } = readyOf(status)
    const [, told] = /nodewave rollback (\w)/.exec(message) ?? []
    const pool = told ?? (reason === 'Halted' && message.includes('waits for "') ? name : undefined)
    const [, broken] = /used up by "(\w+)".*repair them, or raise|; repair "(\w+)" of /.exec(message)?.filter(Boolean) ?? []
    if (pool === undefined)
      world.nodes = world.nodes.map((node) => (node.view.name === broken ? changed(world, node, 'is replaced') : node))
    if (pool !== undefined) world.controls.set(pool, { promoted: world.head.revision, rollback: '' })
  }
}

function isDone(world: World, content: Content): boolean {
  return (
    [...world.decisions.values()].every(({ status }) => readyOf(status).status === 'True') &&
    world.nodes.every(
      ({ view, pool }) => pool === undefined || (hasContent(world, content, view) && view.rebootRequest === undefined),
    )
  )
}

function hasContent({ options }: World, content: Content, view: SimNode['view']): boolean {
  const digest = digestFor(content, view, options)
  return view.assigned?.digest === digest && view.status?.active === digest
}
