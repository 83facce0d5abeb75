! Two bodies on an ellipse with an eccentricity of 0.5, for one period: how far they are from where they began.
!   gfortran -o orbit orbit.f90 $(pkg-config --libs nbtools)
program orbit
  use, intrinsic :: iso_c_binding
  implicit none

  interface
     function nbt_system_new(n, mass, pos, vel) bind(c)
       import :: c_ptr, c_int64_t, c_double
       integer(c_int64_t), value :: n
       real(c_double), intent(in) :: mass(*), pos(3, *), vel(3, *)
       type(c_ptr) :: nbt_system_new
     end function
     function nbt_advance(system, time) bind(c)
       import :: c_ptr, c_int, c_double
       type(c_ptr), value :: system
       real(c_double), value :: time
       integer(c_int) :: nbt_advance
     end function
     function nbt_system_frame(system) bind(c)
       import :: c_ptr
       type(c_ptr), value :: system
       type(c_ptr) :: nbt_system_frame
     end function
     function nbt_column_get(frame, name, type, width) bind(c)
       import :: c_ptr, c_char
       type(c_ptr), value :: frame, type, width
       character(kind=c_char), intent(in) :: name(*)
       type(c_ptr) :: nbt_column_get
     end function
     subroutine nbt_system_close(system) bind(c)
       import :: c_ptr
       type(c_ptr), value :: system
     end subroutine
  end interface

  real(c_double), parameter :: e = 0.5d0, period = 8 * atan(1d0)
  real(c_double) :: mass(2) = [0.75d0, 0.25d0], pos(3, 2) = 0, vel(3, 2) = 0
  real(c_double), pointer :: x(:, :)
  type(c_ptr) :: system, frame

  pos(1, :) = [-0.25d0, 0.75d0] * (1 - e)
  vel(2, :) = [-0.25d0, 0.75d0] * sqrt((1 + e) / (1 - e))
  system = nbt_system_new(2_c_int64_t, mass, pos, vel)
  if (.not. c_associated(system)) error stop 'no system'
  if (nbt_advance(system, period) /= 0) error stop 'nbt_advance failed'
  frame = nbt_system_frame(system)
  if (.not. c_associated(frame)) error stop 'no frame'
  call c_f_pointer(nbt_column_get(frame, 'pos' // c_null_char, c_null_ptr, c_null_ptr), x, [3, 2])
  print '(es8.1)', maxval(abs(x - pos))
  call nbt_system_close(system)
end program
