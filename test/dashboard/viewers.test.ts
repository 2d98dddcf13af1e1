import { expect, test } from 'vitest'
import type { FleetView } from '../../src/dashboard/fleet-view.ts'
import { fleetView } from '../../src/dashboard/fleet-view.ts'
import { MAX_VIEWERS, type Viewer, Viewers } from '../../src/dashboard/viewers.ts'
import type { NodePhase } from '../../src/protocol/node-pool.ts'

function aFleet(phase: NodePhase): FleetView {
  return fleetView([{ name: 'workers', status: {}, waves: ['all'], members: [{ name: 'n1', phase, wave: 0 }] }])
}

class FakeViewer implements Viewer {
  readonly events: string[] = []
  takes = true

  send(event: string): boolean {
    this.events.push(event)
    return this.takes
  }

  end(): void {
    this.events.push('end')
  }
}

test('a viewer gets the fleet, then what changes', () => {
  let fleet: FleetView | undefined = aFleet('Waiting')
  const viewers = new Viewers(() => fleet)
  const viewer = new FakeViewer()
  viewers.add(viewer)
  viewers.refresh()
  fleet = aFleet('Applying')
  viewers.refresh()
  expect(viewer.events).toEqual(['fleet', 'changes'])
})

test('a viewer that is slow misses changes, and gets the fleet anew once it takes more', () => {
  let fleet = aFleet('Waiting')
  const viewers = new Viewers(() => fleet)
  const viewer = new FakeViewer()
  viewer.takes = false
  viewers.add(viewer)
  viewers.drained(viewer)
  expect(viewer.events).toEqual(['fleet'])
  fleet = aFleet('Applying')
  viewers.refresh()
  expect(viewer.events).toEqual(['fleet', 'changes'])
  fleet = aFleet('Current')
  viewers.refresh()
  viewers.refresh()
  expect(viewer.events).toEqual(['fleet', 'changes'])
  viewers.drained(viewer)
  expect(viewer.events).toEqual(['fleet', 'changes', 'fleet'])
})

test('a viewer is told when the controller stands by, and gets the fleet when it leads', () => {
  let fleet: FleetView | undefined
  const viewers = new Viewers(() => fleet)
  const viewer = new FakeViewer()
  viewers.add(viewer)
  viewers.refresh()
  fleet = aFleet('Waiting')
  viewers.refresh()
  fleet = undefined
  viewers.refresh()
  expect(viewer.events).toEqual(['standby', 'fleet', 'standby'])
})

test('a viewer that takes nothing gives its place to another, and one that follows does not', () => {
  const viewers = new Viewers(() => aFleet('Waiting'))
  const all = Array.from({ length: MAX_VIEWERS }, () => new FakeViewer())
  const [, second] = all
  if (second) second.takes = false
  for (const viewer of all) viewers.add(viewer)
  expect(viewers.makeRoom()).toBe(true)
  expect(all.filter(({ events }) => events.includes('end'))).toEqual([second])
  viewers.add(new FakeViewer())
  expect(viewers.makeRoom()).toBe(false)
})

test('nobody looks at the fleet while there is no viewer', () => {
  let looks = 0
  const viewers = new Viewers(() => {
    looks += 1
    return aFleet('Waiting')
  })
  const viewer = new FakeViewer()
  viewers.refresh()
  expect(looks).toBe(0)
  viewers.add(viewer)
  viewers.add(new FakeViewer())
  expect(looks).toBe(2)
  viewers.remove(viewer)
  expect(viewers.count).toBe(1)
})
