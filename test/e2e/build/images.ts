/** The two images that pods of the tests run: Kubernetes' own pause, and busybox from Debian. */
import { chmod, copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { moduleDirectory } from './module-dir.ts'
import { writeImage } from './oci-image.ts'
import { versions } from './versions.ts'

export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.1'
/** Pods use it with `imagePullPolicy: Never`. */
export const TEST_IMAGE = 'nodewave.example/busybox:1'

const applets = 'sh sleep httpd wget cat echo ls true false nc id hostname date env ps mkdir touch nsenter chroot'.split(' ')

/** Archives of both images; made when the cache does not have them. */
export async function testImages(base: string): Promise<string[]> {
  const dir = join(cacheRoot, 'images')
  const pause = join(dir, `pause-${versions.kubernetes}.tar`)
  const busybox = join(dir, `busybox-${digestOf(base + applets)}.tar`)
  await once(pause, async () => {
    const rootfs = await emptyRoot(pause)
    await compilePause(join(rootfs, 'pause'))
    await writeImage({ name: PAUSE_IMAGE, entrypoint: ['/pause'], rootfs }, pause)
    await rm(rootfs, { recursive: true })
  })
  await once(busybox, async () => {
    const rootfs = await emptyRoot(busybox)
    await fillBusybox(rootfs, join(base, 'bin/busybox'))
    await writeImage({ name: TEST_IMAGE, entrypoint: ['/bin/sh'], rootfs }, busybox)
    await rm(rootfs, { recursive: true })
  })
  return [pause, busybox]
}

async function emptyRoot(archive: string): Promise<string> {
  const rootfs = `${archive}.rootfs`
  await rm(rootfs, { recursive: true, force: true })
  await mkdir(rootfs, { recursive: true })
  return rootfs
}

/** Its source is part of the Kubernetes module, so the image needs no registry either. */
async function compilePause(target: string): Promise<void> {
  const dir = await moduleDirectory('k8s.io/kubernetes', versions.kubernetes)
  await run('gcc', ['-Os', '-static', '-o', target, join(dir, 'build/pause/linux/pause.c')])
}

async function fillBusybox(rootfs: string, program: string): Promise<void> {
  for (const dir of ['bin', 'etc', 'tmp', 'www']) await mkdir(join(rootfs, dir))
  await copyFile(program, join(rootfs, 'bin/busybox'))
  await chmod(join(rootfs, 'bin/busybox'), 0o755)
  for (const applet of applets) await symlink('busybox', join(rootfs, 'bin', applet))
  await writeFile(join(rootfs, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n')
  await writeFile(join(rootfs, 'www/index.html'), 'ok\n')
}
