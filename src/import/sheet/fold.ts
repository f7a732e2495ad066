export { foldName as fold } from '@shiftfeed/common/names';
