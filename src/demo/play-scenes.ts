import type { CliIo } from '../cli/cli-io.ts'
import { folded, paintFor } from '../cli/paint.ts'
import { FleetPicture } from './fleet-picture.ts'
import { Painter } from './painter.ts'
import type { Scene } from './scene.ts'
import { scenes } from './scenes.ts'
import type { Stage } from './stage.ts'

export interface SceneResult {
  readonly name: string
  readonly ok: boolean
  readonly seconds: number
}

interface DemoContext {
  readonly stage: Stage
  readonly io: CliIo
  readonly painter: Painter
}

/**
 * Plays the scenes in order and shows the fleet meanwhile. A scene stands on the one before it: after a failure, or an interruption, the
 * rest is not played, and counts as failed.
 */
export async function playScenes(stage: Stage, io: CliIo): Promise<SceneResult[]> {
  const picture = new FleetPicture(stage.view, { colour: io.color })
  const painter = new Painter(picture, { write: io.stdout, live: io.isTTY, columns: () => io.columns })
  const results: SceneResult[] = []
  for (const [index, scene] of scenes.entries()) {
    const goesOn = results.every(({ ok }) => ok) && !stage.signal.aborted
    results.push(goesOn ? await playScene(scene, index + 1, { stage, io, painter }) : { name: scene.name, ok: false, seconds: 0 })
  }
  return results
}

async function playScene(scene: Scene, number: number, { stage, io, painter }: DemoContext): Promise<SceneResult> {
  const say = (text: string): void => painter.say(`${fitted(text, io)}\n`)
  say('')
  painter.say(`${paintFor(io).bold(fitted(`${number}. ${scene.title}`, io))}\n`)
  const started = io.now()
  const stopPainting = painter.start(stage.view)
  const outcome = await scene.play(stage, { ...io, stdout: (text) => painter.say(text) }).then(
    (checked) => ({ ok: true, text: checked }),
    (error: unknown) => ({ ok: false, text: error instanceof Error ? error.message : String(error) }),
  )
  stopPainting()
  const { aborted } = stage.signal
  say(`  ${outcome.ok ? '✓' : '✗'} ${aborted && !outcome.ok ? 'interrupted' : outcome.text}`)
  if (!outcome.ok && !aborted) painter.say(stage.said.slice(-10).join(''))
  return { name: scene.name, ok: outcome.ok, seconds: secondsSince(started, io) }
}

export function secondsSince(started: number, io: CliIo): number {
  return Math.round((io.now() - started) / 100) / 10
}

/** On a terminal, no word is cut in two. */
function fitted(line: string, { isTTY, columns }: CliIo): string {
  return isTTY ? folded(line, { columns, by: 2 }) : line
}
