import { expect, test } from 'vitest'
import { defaultEntry, formerEntryScript } from '../../../src/agent/resources/grub-menu.ts'

/** As update-grub 2.06 of Debian 12 writes it, without the parts between. */
const MENU = `if [ "\${next_entry}" ] ; then
   set default="\${next_entry}"
   set next_entry=
   save_env next_entry
   set boot_once=true
else
   set default="0"
fi
menuentry 'Debian GNU/Linux' --class debian --class os $menuentry_id_option 'gnulinux-simple-2b0a' {
\tsavedefault
\tload_video
\tif [ x$grub_platform = xxen ]; then insmod xzio; insmod lzopio; fi
\tsearch --no-floppy --fs-uuid --set=root 2b0a
\techo\t'Loading Linux 6.1.0-2-amd64 ...'
\tlinux\t/boot/vmlinuz-6.1.0-2-amd64 root=UUID=2b0a ro  quiet
\tinitrd\t/boot/initrd.img-6.1.0-2-amd64
}
submenu 'Advanced options' $menuentry_id_option 'gnulinux-advanced-2b0a' {
\tmenuentry 'Debian, with Linux 6.1.0-1-amd64' --class os $menuentry_id_option 'gnulinux-6.1.0-1-amd64-advanced-2b0a' {
\t\tlinux\t/boot/vmlinuz-6.1.0-1-amd64 root=UUID=2b0a ro  quiet
\t\tinitrd\t/boot/initrd.img-6.1.0-1-amd64
\t}
}
`
const running = (kernel: string) => `BOOT_IMAGE=/boot/vmlinuz-${kernel} root=UUID=2b0a ro quiet`

test('formerEntryScript repeats the entry that runs, under another name, and starts it unless the trial is on', () => {
  expect(formerEntryScript(MENU, running('6.1.0-2-amd64'))).toBe(`#!/bin/sh
exec tail -n +4 "$0"
# Written by nodewave, and removed when the change has proved itself.
menuentry 'As before the change that nodewave tries' --class debian --class os $menuentry_id_option 'nodewave-former' {
\tload_video
\tif [ x$grub_platform = xxen ]; then insmod xzio; insmod lzopio; fi
\tsearch --no-floppy --fs-uuid --set=root 2b0a
\techo\t'Loading Linux 6.1.0-2-amd64 ...'
\tlinux\t/boot/vmlinuz-6.1.0-2-amd64 root=UUID=2b0a ro  quiet nodewave.former
\tinitrd\t/boot/initrd.img-6.1.0-2-amd64
}
if [ "\${boot_once}" != true ]; then
  set default='nodewave-former'
fi
`)
})

test('formerEntryScript finds the kernel that runs in a submenu', () => {
  expect(formerEntryScript(MENU, running('6.1.0-1-amd64'))).toContain(
    '\t\tlinux\t/boot/vmlinuz-6.1.0-1-amd64 root=UUID=2b0a ro  quiet nodewave.former\n',
  )
})

test.each([running('6.1.0-3-amd64'), `${running('6.1.0-2-amd64')} single`, 'quiet', ''])(
  'formerEntryScript has nothing for a machine that was started with %j',
  (commandLine) => {
    expect(formerEntryScript(MENU, commandLine)).toBeUndefined()
  },
)

test.each([
  ['0', '', '0'],
  [
    'gnulinux-advanced-2b0a>gnulinux-6.1.0-1-amd64-advanced-2b0a',
    '',
    'gnulinux-advanced-2b0a>gnulinux-6.1.0-1-amd64-advanced-2b0a',
  ],
  ['\u0024{saved_entry}', '# GRUB Environment Block\nsaved_entry=1>2\n####', '1>2'],
  ['\u0024{saved_entry}', '', '0'],
])('the default of a menu that says %j, with %j kept, is %j', (said, environment, expected) => {
  expect(defaultEntry(MENU.replace('default="0"', `default="${said}"`), environment)).toBe(expected)
})
