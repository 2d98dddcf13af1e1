/**
 * The suite of package managers with the real dnf 5: `node test/e2e/dnf5.ts`. It needs root and debootstrap, and no cluster.
 *
 * No scenario: the only Debian with dnf 5 is not released, and a day on which it cannot be installed says nothing of this project.
 */
import { dnf5Root } from './build/dnf5-root.ts'
import { output } from './exec.ts'
import { packageBehaviours } from './product/package-behaviours.ts'

const say = (line: string): void => console.log(line)

const root = await dnf5Root(say)
const [version = ''] = (await output('chroot', [root, 'dnf5', '--version'])).split('\n')
say(`${version}, ${await output('chroot', [root, 'rpm', '--version'])}`)
const started = performance.now()
await packageBehaviours('dnf5')
say(`passed in ${((performance.now() - started) / 1000).toFixed(1)} s`)
