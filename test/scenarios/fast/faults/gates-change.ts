import type { Random } from '../../random.ts'
import type { World } from '../world.ts'

/** The measured thing grows worse or better, or cannot be asked. */
export function gatesChange(world: World, random: Random): void {
  world.gates.says = random.pick(['Passed', 'Passed', 'NotPassed', 'Unanswered', 'Failed'])
  world.tell(`gates: ${world.gates.says}`)
}
