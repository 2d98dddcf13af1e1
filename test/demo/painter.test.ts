import { expect, onTestFinished, test, vi } from 'vitest'
import { FleetPicture } from '../../src/demo/fleet-picture.ts'
import { FleetView } from '../../src/demo/fleet-view.ts'
import { Painter } from '../../src/demo/painter.ts'
import type { AgentStatus } from '../../src/protocol/agent-status.ts'

/** A pool without a status, of nodes in these phases. */
function aView(phases: readonly (AgentStatus['phase'] | undefined)[]): FleetView {
  const view = new FleetView()
  view.pools.set('workers', { name: 'workers', status: undefined })
  for (const [index, phase] of phases.entries()) {
    const status = phase === undefined ? undefined : ({ phase } as AgentStatus)
    const rest = { zone: '', ready: true, kubeletVersion: 'v1.36.3', desired: undefined }
    view.nodes.set(`w${index}`, { name: `w${index}`, pool: 'workers', status, ...rest })
  }
  return view
}

test('picture wraps the cells of a pool so that no line is longer than the terminal is wide', () => {
  const picture = new FleetPicture(aView(['Applied', 'Staging', 'RolledBack', undefined]), { colour: false })
  expect(picture.lines(20)).toEqual(['  workers        no ', '                 ■◐✗', '                 ·'])
})

test('picture gives each configuration of a pool a colour that it keeps', () => {
  const view = aView(['Applied', 'Applied'])
  const picture = new FleetPicture(view, { colour: true })
  const [blue, green] = ['\u001b[34m■\u001b[0m', '\u001b[32m■\u001b[0m']
  expect(picture.lines(80)[1]?.trim()).toBe(blue + blue)
  const [first] = view.nodes.values()
  if (first) view.nodes.set(first.name, { ...first, kubeletVersion: 'v1.37.0' })
  expect(picture.lines(80)[1]?.trim()).toBe(green + blue)
})

test('painter draws over its own picture, and below what was said meanwhile', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const view = aView(['Applied'])
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  const painter = new Painter(new FleetPicture(view, { colour: false }), { write, live: true, columns: () => 80 })
  painter.start(view)
  const change = () => {
    view.fail(undefined)
    vi.advanceTimersByTime(100)
  }
  change()
  change()
  painter.say('said\n')
  change()
  const frame = '\u001b[J  workers        no status yet\n                 ■\n'
  expect(written).toEqual([frame, `\u001b[2A${frame}`, 'said\n', frame])
})

test('painter prints a line only where something changed when it cannot draw in place', () => {
  const view = aView(['Applied'])
  const written: string[] = []
  const screen = { write: (text: string) => void written.push(text), live: false, columns: () => 80 }
  const painter = new Painter(new FleetPicture(view, { colour: false }), screen)
  painter.start(view)()
  painter.start(view)()
  expect(written).toEqual(['  workers        no status yet\n'])
})
