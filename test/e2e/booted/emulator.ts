/** How a machine is emulated: by the processor itself where it can, else instruction by instruction. */
import { existsSync, readFileSync } from 'node:fs'
import { WORK } from './tools.ts'

export const DISK = 'disk.img'
export const SEED = 'seed.img'
export const CONSOLE = 'console.log'
export const GUEST_AGENT = 'guest-agent.sock'

/** In megabytes. */
const MEMORY = 1024

/** /dev/kvm alone says too little: there are machines that have it, and run only kernels that were made for them. */
export function hasVirtualization(): boolean {
  return existsSync('/dev/kvm') && /^flags\s.*\b(svm|vmx)\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'))
}

/** What it says goes to its CONSOLE, and its disk is DISK. */
export function emulator(more: readonly string[]): string[] {
  const processor = hasVirtualization() ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg', '-cpu', 'max']
  return [
    ...['qemu-system-x86_64', '-machine', 'pc', ...processor, '-smp', '2', '-m', String(MEMORY)],
    ...['-nodefaults', '-display', 'none', '-device', 'virtio-rng-pci'],
    // grub stops where there is no screen.
    ...['-device', 'VGA'],
    ...['-chardev', `file,id=console,path=${WORK}/${CONSOLE},append=on`, '-serial', 'chardev:console'],
    // What is written is in the cache of the machine below, and stays when the emulator is killed.
    ...disk(DISK),
    ...more,
  ]
}

export function disk(name: string): string[] {
  return ['-drive', `file=${WORK}/${name},if=virtio,format=raw,cache=unsafe`]
}
